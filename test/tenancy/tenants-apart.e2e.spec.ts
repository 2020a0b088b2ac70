import { expect, it } from 'vitest';
import {
  accept,
  cancel,
  createKey,
  createTenant,
  countTenantRows,
  issue,
  refused,
  readStatus,
  submit,
} from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#environments

const service = await startFileService({ environments: ['sandbox', 'production'] });

it('each document is sent on behalf of its supplier', async () => {
  const tenants = [await createTenant(service), await createTenant(service)];
  const references = [reference(), reference()];
  for (const [index, tenant] of tenants.entries())
    await accept(service, tenant, [invoice({ referenceId: references[index] })]);
  await service.settle();
  const sent = await service.wireLog();
  for (const [index, { tenantId }] of tenants.entries()) {
    const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
      tenantId,
    ]);
    expect(sent.find(({ number }) => number === references[index])?.supplierTin).toBe(tin);
  }
});

it('sandbox and production share credits but not document numbers', async () => {
  const sandbox = await createTenant(service, { credits: 5 });
  const production = { ...sandbox, apiKey: await createKey(service, sandbox.tenantId, 'production') };
  const document = invoice();
  const test = await issue(service, sandbox, document);
  const response = await submit(service, production, [document]);
  expect(response.headers.get('x-environment')).toBe('production');
  expect(response.headers.get('x-credits-remaining')).toBe('3');
  await service.settle();
  const live = await readStatus(service, production, response.body.submissionBatchId);
  expect(live).toMatchObject({ status: 'Valid', environment: 'production' });
  expect(live.documents[0].documentId).not.toBe(test.documents[0].documentId);
  const entries = await service.owner.query<{ environment: string }[]>(
    `SELECT environment FROM credit_entry WHERE tenant_id = $1 AND kind = 'submit' ORDER BY sequence`,
    [sandbox.tenantId],
  );
  expect(entries.map(({ environment }) => environment)).toEqual(['sandbox', 'production']);
});

it('a tenant cannot cancel the document of another tenant', async () => {
  const [owner, stranger] = [await createTenant(service), await createTenant(service)];
  const [{ documentId }] = (await issue(service, owner, invoice())).documents;
  const holdings = await countTenantRows(service, owner);
  expect((await refused(service, stranger, () => cancel(service, stranger, { documentId }))).status).toBe(404);
  expect(await countTenantRows(service, owner)).toEqual(holdings);
});

it("another tenant's invoice is unknown by its uuid", async () => {
  await service.control('settings', { unknownParents: 'accepted' });
  const [owner, stranger] = [await createTenant(service), await createTenant(service)];
  const [{ documentId, referenceId, authorityUuid }] = (await issue(service, owner, invoice())).documents;
  await cancel(service, owner, { documentId });
  await service.settle();
  // A lookup across tenants would find another number and a cancelled invoice.
  for (const named of ['OF-NOBODY', referenceId])
    for (const uuid of [authorityUuid ?? '', authorityUuid?.toLowerCase() ?? '']) {
      const response = await submit(service, stranger, [creditNote({ referenceId: named, authorityUuid: uuid })]);
      expect(response.status, response.text).toBe(200);
      expect(response.body.warnings).toEqual([]);
    }
  await service.settle();
});

it("another tenant's credit note does not prevent a cancellation", async () => {
  const [owner, stranger] = [await createTenant(service), await createTenant(service)];
  const [{ documentId, referenceId, authorityUuid }] = (await issue(service, owner, invoice())).documents;
  await accept(service, stranger, [creditNote({ referenceId, authorityUuid: authorityUuid ?? '' })]);
  expect((await cancel(service, owner, { documentId })).status).toBe(202);
  await service.settle();
});

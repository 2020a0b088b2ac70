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

// Interface, Authentication 3 to 5; docs/rules.md#environments: what one tenant or environment does is nothing to
// another.

const service = await startFileService({ environments: ['sandbox', 'production'] });

it('sends each document on behalf of its own supplier', async () => {
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

it('lets sandbox and production use the same reference, and charges both from one pool', async () => {
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

it('changes nothing of a tenant when another one tries to cancel its document', async () => {
  const [owner, stranger] = [await createTenant(service), await createTenant(service)];
  const [{ documentId }] = (await issue(service, owner, invoice())).documents;
  const holdings = await countTenantRows(service, owner);
  expect((await refused(service, stranger, () => cancel(service, stranger, { documentId }))).status).toBe(404);
  expect(await countTenantRows(service, owner)).toEqual(holdings);
});

it("takes the uuid of another tenant's invoice as that of one issued elsewhere, and tells nothing of it", async () => {
  await service.control('settings', { unknownParents: 'accepted' });
  const [owner, stranger] = [await createTenant(service), await createTenant(service)];
  const [{ documentId, referenceId, authorityUuid }] = (await issue(service, owner, invoice())).documents;
  await cancel(service, owner, { documentId });
  await service.settle();
  // Were it looked up over all tenants, the first would be another number's, and both a cancelled invoice's.
  for (const named of ['OF-NOBODY', referenceId])
    for (const uuid of [authorityUuid ?? '', authorityUuid?.toLowerCase() ?? '']) {
      const response = await submit(service, stranger, [creditNote({ referenceId: named, authorityUuid: uuid })]);
      expect(response.status, response.text).toBe(200);
      expect(response.body.warnings).toEqual([]);
    }
  await service.settle();
});

it("is not kept from cancelling by another tenant's credit note that names its uuid", async () => {
  const [owner, stranger] = [await createTenant(service), await createTenant(service)];
  const [{ documentId, referenceId, authorityUuid }] = (await issue(service, owner, invoice())).documents;
  await accept(service, stranger, [creditNote({ referenceId, authorityUuid: authorityUuid ?? '' })]);
  expect((await cancel(service, owner, { documentId })).status).toBe(202);
  await service.settle();
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { verify } from '../support/tenants.js';
import { startFileProxy } from './authority-proxy.js';

// Accepted documents keep their TIN when the organisation's profile changes later.

const OLD = { tin: 'C20000000010', id_type: 'BRN', id_value: '201901234567', name: 'Kedai Lama' };
const NEW = { tin: 'IG20000000020', id_type: 'BRN', id_value: '202001234567', name: 'Kedai Baru' };

const proxy = await startFileProxy({ simulator: { tokenSeconds: 86_400 } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service, { profile: OLD });
});

async function sent(...documents: Record<string, unknown>[]): Promise<() => Promise<DocumentStatusDto[]>> {
  const { submissionBatchId } = await accept(proxy.service, tenant, documents);
  return async () => [...(await readStatus(proxy.service, tenant, submissionBatchId)).documents];
}

async function changeTin(): Promise<void> {
  await proxy.service.owner.query(
    'UPDATE tenant SET tin = $2, id_type = $3, id_value = $4, name = $5 WHERE tenant_id = $1',
    [tenant.tenantId, NEW.tin, NEW.id_type, NEW.id_value, NEW.name],
  );
  await verify(proxy.service.owner, tenant.tenantId);
}

async function listSupplierTins(...documents: Record<string, unknown>[]): Promise<string[]> {
  const log = await proxy.service.wireLog();
  return documents.flatMap(({ referenceId }) =>
    log.filter(({ number }) => number === referenceId).map(({ supplierTin }) => supplierTin),
  );
}

describe('a tenant with a changed TIN', () => {
  it('finds its submitted documents and its documents in doubt under the old TIN', async () => {
    const documents = [invoice(), invoice()];
    const submitted = await sent(documents[0]);
    await proxy.service.tick('submit');
    const lost = await sent(documents[1]);
    await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await proxy.service.tick('submit');
    await changeTin();
    await proxy.service.settle();
    expect(await submitted()).toMatchObject([{ authorityStatus: 'Valid' }]);
    expect(await lost()).toMatchObject([{ authorityStatus: 'Valid' }]);
    expect(await listSupplierTins(...documents)).toEqual([OLD.tin, OLD.tin]);
  });

  it('cancels a valid document under the TIN of its submission', async () => {
    const read = await sent(invoice());
    await proxy.service.settle();
    await changeTin();
    const [{ documentId }] = await read();
    expect((await cancel(proxy.service, tenant, { documentId })).status).toBe(202);
    await proxy.service.settle();
    expect(await read()).toMatchObject([{ authorityStatus: 'Cancelled', cancellation: { status: 'Completed' } }]);
  });

  it('sends waiting documents under the old TIN and new documents under the new one', async () => {
    const [before, after] = [invoice(), invoice()];
    const old = await sent(before);
    await changeTin();
    const young = await sent(after);
    await proxy.service.settle();
    expect([...(await old()), ...(await young())]).toMatchObject([
      { authorityStatus: 'Valid' },
      { authorityStatus: 'Valid' },
    ]);
    expect(await listSupplierTins(before, after)).toEqual([OLD.tin, NEW.tin]);
    expect(proxy.listCalls('submit').map(({ referenceIds }) => referenceIds)).toEqual([
      [before.referenceId],
      [after.referenceId],
    ]);
    const [{ text }] = await proxy.service.owner.query<{ text: string }[]>(
      `SELECT convert_from(bytes, 'UTF8') AS text FROM authority_document WHERE reference_id = $1`,
      [before.referenceId],
    );
    expect(text).toContain(OLD.name);
    expect(text).toContain(OLD.id_value);
    expect(text).not.toContain(NEW.name);
  });

  it('sends documents of the new TIN while the old TIN lacks an appointment', async () => {
    const [before, after] = [invoice(), invoice()];
    const old = await sent(before);
    await proxy.service.control('taxpayers', { tin: OLD.tin, appointed: false });
    await proxy.service.tick('submit');
    await changeTin();
    const young = await sent(after);
    for (let hour = 0; hour < 4; hour += 1) {
      await proxy.service.advance(3_700);
      while ((await proxy.service.tick('submit')) > 0);
      while ((await proxy.service.tick('poll')) > 0);
    }
    expect(await young()).toMatchObject([{ authorityStatus: 'Valid' }]);
    expect(await old()).toMatchObject([{ submissionStatus: 'Queued', waiting: { code: 'not_appointed' } }]);
    await proxy.service.control('taxpayers', { tin: OLD.tin, appointed: true });
    await proxy.service.advance(3_700);
    await proxy.service.settle();
    expect(await old()).toMatchObject([{ authorityStatus: 'Valid' }]);
    expect(await listSupplierTins(before, after)).toEqual([OLD.tin, NEW.tin]);
  });

  it('sends a held credit note under the TIN of its acceptance', async () => {
    const parent = invoice();
    const note = invoice({
      documentType: 'credit_note',
      relatedInvoice: { referenceId: parent.referenceId },
    });
    const read = await sent(parent, note);
    await proxy.service.tick('submit');
    await changeTin();
    await proxy.service.settle();
    expect((await read()).map(({ authorityStatus }) => authorityStatus)).toEqual(['Valid', 'Valid']);
    expect(await listSupplierTins(note)).toEqual([OLD.tin]);
  });

  it('logs in for each TIN with the business number if the login requires it', async () => {
    const read = await sent(invoice());
    await changeTin();
    const later = await sent(invoice());
    await proxy.service.settle();
    expect([...(await read()), ...(await later())].map(({ authorityStatus }) => authorityStatus)).toEqual([
      'Valid',
      'Valid',
    ]);
    const tokens = await proxy.service.owner.query<{ name: string }[]>(
      'SELECT on_behalf_of AS name FROM authority_token WHERE tenant_id = $1 ORDER BY 1',
      [tenant.tenantId],
    );
    expect(tokens.map(({ name }) => name)).toEqual([OLD.tin, `${NEW.tin}:${NEW.id_value}`]);
  });
});

import { describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// A rejection of the supplier, login or permission applies to all documents of the tenant
// (docs/rules.md#refused-calls). The tenant's queue waits, and other tenants use the calls.

const DOCUMENTS = 20;
const CALLS_MAX = 3;

const service = await startFileService();

async function readTin(tenant: TestTenant): Promise<string> {
  const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);
  return tin;
}

/** Lists the submits of a tenant at the authority. */
async function countSubmits(tin: string): Promise<number> {
  const response = await fetch(`${service.simulator.url}/_control/calls?after=0`);
  const calls = (await response.json()) as { api: string; taxpayerTin: string }[];
  return calls.filter((call) => call.api === 'submit' && call.taxpayerTin === tin).length;
}

describe.each([
  ['tin-mismatch', 'supplier_refused'],
  ['submitter-refused', 'not_appointed'],
])('a tenant whose calls are rejected as a whole: %s', (name, code) => {
  it('waits with the reason after at most three calls until the cause is corrected', async () => {
    const tenant = await createTenant(service);
    const tin = await readTin(tenant);
    await service.control('faults', [{ when: { api: 'submit', supplierTin: tin }, fault: name, times: 1_000 }]);
    const sent = Array.from({ length: DOCUMENTS }, () => invoice());
    const { submissionBatchId } = await accept(service, tenant, sent);
    const other = await createTenant(service);
    const documents = async (): Promise<DocumentStatusDto[]> =>
      (await readStatus(service, tenant, submissionBatchId)).documents;
    while ((await service.tick('submit')) > 0);

    expect(await countSubmits(tin)).toBeLessThanOrEqual(CALLS_MAX);
    for (const document of await documents()) {
      expect(document).toMatchObject({
        submissionStatus: 'Queued',
        errors: [],
        waiting: {
          code,
          message: expect.stringMatching(/./) as string,
          hint: expect.stringMatching(/\w{20}|portal/) as string,
        },
      });
    }
    const others = await accept(service, other, [invoice()]);
    await service.tick('submit');
    expect((await readStatus(service, other, others.submissionBatchId)).status).toBe('Submitted');
    await service.advance(3_600);
    const before = await countSubmits(tin);
    while ((await service.tick('submit')) > 0);
    expect(await countSubmits(tin), 'an hour later it is tried once').toBe(before + 1);

    await fetch(`${service.simulator.url}/_control/faults`, { method: 'DELETE' });
    const sentBefore = await countSubmits(tin);
    await service.settle();
    expect((await documents()).map(({ authorityStatus }) => authorityStatus)).toEqual(sent.map(() => 'Valid'));
    expect(await countSubmits(tin), 'all of them in one call').toBe(sentBefore + 1);
    const taken = (await service.wireLog()).filter(({ supplierTin }) => supplierTin === tin);
    expect(taken).toHaveLength(DOCUMENTS);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const GRACE_SECONDS = 61;

const service = await startFileService({ simulator: { duplicateRules: false } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
  await issue(service, tenant, invoice());
});

/** Sends an invoice whose response is lost. */
async function loseResponse(): Promise<string> {
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  await service.tick('submit');
  return submissionBatchId;
}

async function readDocument(batchId: string): Promise<object> {
  return (await readStatus(service, tenant, batchId)).documents[0];
}

describe('the first lookup after a lost response', () => {
  it('finds the document when the clock of the authority has just moved by four minutes', async () => {
    await service.control('clock', { advanceSeconds: 240 });
    const batchId = await loseResponse();
    await service.advance(GRACE_SECONDS);
    await service.tick('reconcile');
    expect(await readDocument(batchId)).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
  });
});

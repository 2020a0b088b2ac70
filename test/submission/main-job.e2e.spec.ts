import { expect, it } from 'vitest';
import { createTenant, readBalance, readStatus, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

it('brings a batch of documents from HTTP to Valid at the authority', async () => {
  const tenant = await createTenant(service, { credits: 5 });
  const response = await submit(service, tenant, [invoice(), invoice()]);
  expect(response.body).toMatchObject({ submissionBatchId: expect.any(String) });
  expect(response.status).toBe(200);
  expect(await readBalance(service, tenant)).toBe(3);
  await service.settle();
  const status = await readStatus(service, tenant, response.body.submissionBatchId);
  expect(status).toMatchObject({ status: 'Valid', terminal: true, documentCount: 2 });
  expect(status.documents[0]).toMatchObject({
    submissionStatus: 'Submitted',
    authorityStatus: 'Valid',
    totals: { totalExcludingTax: 190, totalTaxAmount: 15.2, totalIncludingTax: 205.2, totalPayableAmount: 205.2 },
  });
});

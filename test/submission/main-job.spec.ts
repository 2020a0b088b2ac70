import { expect, it } from 'vitest';
import { createTenant, creditsOf, statusOf, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { serviceOfFile } from '../support/service-of-file.js';

const service = await serviceOfFile();

it('brings a batch of documents from HTTP to Valid at the authority', async () => {
  const tenant = await createTenant(service, { credits: 5 });
  const answer = await submit(service, tenant, [invoice(), invoice()]);
  expect(answer.body).toMatchObject({ submissionBatchId: expect.any(String) });
  expect(answer.status).toBe(200);
  expect(await creditsOf(service, tenant)).toBe(3);
  await service.settle();
  const status = await statusOf(service, tenant, answer.body.submissionBatchId);
  expect(status).toMatchObject({ status: 'Valid', terminal: true, documentCount: 2 });
  expect(status.documents[0]).toMatchObject({
    submissionStatus: 'Submitted',
    authorityStatus: 'Valid',
    totals: { totalExcludingTax: 190, totalTaxAmount: 15.2, totalIncludingTax: 205.2, totalPayableAmount: 205.2 },
  });
});

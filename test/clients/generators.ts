import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generate } from 'orval';

export interface Generator {
  readonly name: string;
  /** Generates a client in a folder. Some generators embed the base URL. */
  readonly generate: (description: string, folder: string, baseUrl: string) => Promise<unknown>;
  /** Program that uses the client, including code that must not compile. */
  readonly program: string;
}

// Each program checks an invoice, submits it, and submits another one without enough credits.
const START = `
const { API_KEY = '', BASE_URL = '', TODAY = '' } = process.env;
const headersOf = (key: string) => ({ 'X-API-Key': API_KEY, 'idempotency-key': key });
const receipts = (referenceId: string) => ({
  documentType: 'invoice' as const,
  referenceId,
  document_date: TODAY,
  lineItems: [{ description: 'Receipts', quantity: 1, unitPrice: 100 }],
});
const bodyOf = (referenceId: string) => ({ submission_type: 'consolidated' as const, documents: [receipts(referenceId)] });
`;

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    generate: async (description, folder) => {
      const types = await openapiTypescript(new URL(`file://${description}`));
      await writeFile(path.join(folder, 'schema.ts'), astToString(types));
    },
    program: `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
${START}
const client = createClient<paths>({ baseUrl: BASE_URL, headers: { 'X-API-Key': API_KEY } });
const submit = (referenceId: string) =>
  client.POST('/v1/einvoice/submit', {
    body: bodyOf(referenceId),
    params: { header: { 'idempotency-key': referenceId } },
  });
const named = { submission_type: 'non-consolidated' as const, documents: [receipts('A-1')] };
const params = { header: { 'idempotency-key': 'A-1' } };
// @ts-expect-error no recipient
export const buyerless = () => client.POST('/v1/einvoice/submit', { body: named, params });

// @ts-expect-error no idempotency-key
export const keyless = () => client.POST('/v1/einvoice/submit', { body: bodyOf('A-1') });

const { data: checked } = await client.POST('/v1/einvoice/submit/dry-run', { body: bodyOf('A-1') });
const { data: queued } = await submit('A-1');
const { error: refused } = await submit('A-2');
console.log(
  JSON.stringify({
    payable: checked?.documents[0]?.totals.totalPayableAmount,
    submissionBatchId: queued?.submissionBatchId,
    shortBy: refused?.code === 'insufficient_credits' ? refused.shortBy : null,
  }),
);
`,
  },
  {
    name: '@hey-api/openapi-ts',
    generate: (description, folder) =>
      createClient({
        input: description,
        output: path.join(folder, 'client'),
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
        logs: { level: 'silent' },
      }),
    program: `
import { client } from './client/client.gen.js';
import { submit, submitDryRun } from './client/index.js';
${START}
client.setConfig({ baseUrl: BASE_URL });
const named = { submission_type: 'non-consolidated' as const, documents: [receipts('A-1')] };
const headers = headersOf('A-1');
// @ts-expect-error no recipient
export const buyerless = () => submit({ body: named, headers });
// @ts-expect-error the other spelling
export const respelt = () => submit({ body: { ...bodyOf('A-1'), submissionType: 'consolidated' }, headers });

// @ts-expect-error no idempotency-key
export const keyless = () => submit({ body: bodyOf('A-1') });

const { data: checked } = await submitDryRun({ body: bodyOf('A-1'), headers: { 'X-API-Key': API_KEY } });
const { data: queued } = await submit({ body: bodyOf('A-1'), headers: headersOf('A-1') });
const { error: refused } = await submit({ body: bodyOf('A-2'), headers: headersOf('A-2') });
console.log(
  JSON.stringify({
    payable: checked?.documents[0]?.totals.totalPayableAmount,
    submissionBatchId: queued?.submissionBatchId,
    shortBy: refused?.code === 'insufficient_credits' ? refused.shortBy : null,
  }),
);
`,
  },
  {
    name: 'orval',
    generate: (description, folder, baseUrl) =>
      generate({
        input: { target: description },
        output: { target: path.join(folder, 'client.ts'), client: 'fetch', baseUrl },
      }),
    program: `
import { submit, submitDryRun } from './client.js';
${START}
const named = { submission_type: 'non-consolidated' as const, documents: [receipts('A-1')] };
// @ts-expect-error no recipient
export const buyerless = () => submit(named);
// @ts-expect-error the other spelling
export const respelt = () => submit({ ...bodyOf('A-1'), submissionType: 'consolidated' });

const checked = await submitDryRun(bodyOf('A-1'), { headers: { 'X-API-Key': API_KEY } });
const queued = await submit(bodyOf('A-1'), { headers: headersOf('A-1') });
const refused = await submit(bodyOf('A-2'), { headers: headersOf('A-2') });
console.log(
  JSON.stringify({
    payable: checked.status === 200 ? checked.data.documents[0]?.totals.totalPayableAmount : null,
    submissionBatchId: queued.status === 200 ? queued.data.submissionBatchId : null,
    shortBy: refused.status === 402 && refused.data.code === 'insufficient_credits' ? refused.data.shortBy : null,
  }),
);
`,
  },
];

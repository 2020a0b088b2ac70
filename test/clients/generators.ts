import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generate } from 'orval';

export interface Generator {
  readonly name: string;
  /** Writes the client of a description into a folder; some clients have the base address in their code. */
  readonly generate: (description: string, folder: string, baseUrl: string) => Promise<unknown>;
  /** A program that uses it: what a client's developer would write, with what must not compile. */
  readonly program: string;
}

// Every program checks an invoice, submits it and submits another one, for which the credits do not suffice.
const START = `
const { API_KEY = '', BASE_URL = '', TODAY = '' } = process.env;
const headersOf = (key: string) => ({ 'X-API-Key': API_KEY, 'idempotency-key': key });
const receipts = (referenceId: string) => ({
  documentType: 'invoice' as const,
  referenceId,
  document_date: TODAY,
  lineItems: [{ description: 'Receipts', quantity: 1, unitPrice: 100 }],
});
const { document_date, ...dateless } = receipts('A-1');
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
// @ts-expect-error no submission_type
export const typeless = () => client.POST('/v1/einvoice/submit', { body: { documents: [receipts('A-1')] } });
export const undated = () =>
  // @ts-expect-error no document_date
  client.POST('/v1/einvoice/submit', { body: { submission_type: 'consolidated', documents: [dateless] } });

const { data: checked } = await client.POST('/v1/einvoice/submit', {
  body: bodyOf('A-1'),
  params: { query: { dryRun: true } },
});
const { data: queued } = await submit('A-1');
const { error: refused } = await submit('A-2');
console.log(
  JSON.stringify({
    payable: checked?.dryRun ? checked.documents[0]?.totals.totalPayableAmount : null,
    submissionBatchId: queued && !queued.dryRun ? queued.submissionBatchId : null,
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
import { submit } from './client/index.js';
${START}
client.setConfig({ baseUrl: BASE_URL });
// @ts-expect-error no submission_type
export const typeless = () => submit({ body: { documents: [receipts('A-1')] } });
// @ts-expect-error no document_date
export const undated = () => submit({ body: { submission_type: 'consolidated', documents: [dateless] } });

const { data: checked } = await submit({
  body: bodyOf('A-1'),
  query: { dryRun: true },
  headers: { 'X-API-Key': API_KEY },
});
const { data: queued } = await submit({ body: bodyOf('A-1'), headers: headersOf('A-1') });
const { error: refused } = await submit({ body: bodyOf('A-2'), headers: headersOf('A-2') });
console.log(
  JSON.stringify({
    payable: checked?.dryRun ? checked.documents[0]?.totals.totalPayableAmount : null,
    submissionBatchId: queued && !queued.dryRun ? queued.submissionBatchId : null,
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
import { submit } from './client.js';
${START}
// @ts-expect-error no submission_type
export const typeless = () => submit({ documents: [receipts('A-1')] });
// @ts-expect-error no document_date
export const undated = () => submit({ submission_type: 'consolidated', documents: [dateless] });

const checked = await submit(bodyOf('A-1'), { dryRun: true }, { headers: { 'X-API-Key': API_KEY } });
const queued = await submit(bodyOf('A-1'), {}, { headers: headersOf('A-1') });
const refused = await submit(bodyOf('A-2'), {}, { headers: headersOf('A-2') });
console.log(
  JSON.stringify({
    payable: checked.status === 200 && checked.data.dryRun ? checked.data.documents[0]?.totals.totalPayableAmount : null,
    submissionBatchId: queued.status === 200 && !queued.data.dryRun ? queued.data.submissionBatchId : null,
    shortBy: refused.status === 402 && refused.data.code === 'insufficient_credits' ? refused.data.shortBy : null,
  }),
);
`,
  },
];

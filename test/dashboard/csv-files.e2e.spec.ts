import { beforeAll, describe, expect, it } from 'vitest';
import { describeDashboardApi } from '../../src/dashboard-api/dashboard-openapi.js';
import { insertBulkJob } from '../support/bulk-jobs.js';
import { issue } from '../support/client.js';
import type { Browser } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { completeProfile, createOperator, invite, newEmail, organisation, type Problem } from '../support/people.js';
import { insertKey } from '../support/tenants.js';

// Tests every CSV file in the OpenAPI description with hostile input.

const service = await startFileService();
const files = Object.entries(describeDashboardApi(service.api).paths).flatMap(([path, { get }]) =>
  Object.keys((get?.responses[200] as { content?: object } | undefined)?.content ?? {}).includes('text/csv')
    ? [path.replace('/api/dashboard', '')]
    : [],
);

/** Formulas preceded by an invisible character, a full-width sign or another list separator. */
const FORMULA = '\u200B＝HYPERLINK("http://thief.example";"total");=1+1|@SUM(1)';
const GUARDED = `'\u200B＝HYPERLINK("http://thief.example";"total");'=1+1|'@SUM(1)`;

let owner: Browser;
let operator: Browser;
let tenantId: string;
let jobId: string;

beforeAll(async () => {
  const made = await organisation(service);
  owner = made.browser;
  tenantId = made.tenantId;
  operator = (await createOperator(service)).browser;
  await invite(owner, made.path, newEmail(), 'viewer');
  expect((await owner.post(`${made.path}/credits/orders`, { credits: 10, note: 'Please' })).status).toBe(201);
  await completeProfile(service, tenantId);
  const apiKey = await insertKey(service.owner, tenantId);
  await issue(service, { tenantId, apiKey }, invoice());
  await service.settle();
  // Uses SQL because the API rejects such names and notes.
  for (const statement of [
    `UPDATE user_account SET name = $1`,
    `UPDATE tenant SET name = $1`,
    `UPDATE api_key SET name = $1`,
    `UPDATE invitation SET email = $1`,
    `UPDATE credit_order SET note = $1`,
    `UPDATE document_transaction SET payload = jsonb_set(payload, '{recipient,name}', to_jsonb($1::text))`,
  ]) {
    await service.owner.query(statement, [FORMULA]);
  }
  jobId = await insertBulkJob(service, tenantId, FORMULA);
  await service.owner.query(
    `INSERT INTO audit_entry (tenant_id, id, at, actor, action, subject, details)
     VALUES ($2, gen_random_uuid(), service_now(), $1, 'key.created', $1, '{}')`,
    [FORMULA, tenantId],
  );
});

/** Returns the unquoted cells of a CSV file. */
function readCells(text: string): string[] {
  const cells = [...text.matchAll(/(?:^\uFEFF?|,|\r\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)];
  return cells.map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

function isFormula(cell: string): boolean {
  return /^[\s\p{C}]*[=+\-@＝＋－＠]/u.test(cell) && !/^-?[\d.]+$/.test(cell);
}

describe('CSV files', () => {
  it('are all covered by this test', () => {
    expect(files.length).toBeGreaterThanOrEqual(10);
  });

  it.each(files)('contain no active formula: %s', async (file) => {
    const reader = file.startsWith('/operator') ? operator : owner;
    const path = file.replace('{tenantId}', tenantId).replace('{environment}', 'sandbox').replace('{jobId}', jobId);
    const { status, text, headers } = await reader.get(path);
    expect(status, text).toBe(200);
    expect(headers.get('Content-Disposition')).toMatch(/^attachment; /);
    const cells = readCells(text);
    expect(cells.length).toBeGreaterThan(3);
    expect(cells.filter(isFormula)).toEqual([]);
  });

  it.each(files)('contain no active formula with another list separator: %s', async (file) => {
    const reader = file.startsWith('/operator') ? operator : owner;
    const path = file.replace('{tenantId}', tenantId).replace('{environment}', 'sandbox').replace('{jobId}', jobId);
    // With that separator, quotation marks inside a cell have no effect.
    const cells = (await reader.get(path)).text.split(/[;|\t\r\n]/).map((cell) => cell.replace(/^"+/, ''));
    expect(cells.length).toBeGreaterThan(1);
    expect(cells.filter(isFormula)).toEqual([]);
  });

  it.each(files)('return an HTML page for an unknown parameter: %s', async (file) => {
    const reader = file.startsWith('/operator') ? operator : owner;
    const path = file.replace('{tenantId}', tenantId).replace('{environment}', 'sandbox').replace('{jobId}', jobId);
    for (const query of ['other=%00', '%00=other', `other=${'x'.repeat(99)}%F0%9F%92%A9`]) {
      const { status, body, text } = await reader.get<Problem>(`${path}?${query}`);
      expect(status, `${query} ${text}`).toBe(400);
      expect(body.details).toMatchObject([{ message: 'is not a known query parameter' }]);
    }
  });

  it('escape a formula in every column with user input', async () => {
    const shown: string[] = [];
    for (const file of files) {
      const reader = file.startsWith('/operator') ? operator : owner;
      const path = file.replace('{tenantId}', tenantId).replace('{environment}', 'sandbox').replace('{jobId}', jobId);
      if (readCells((await reader.get(path)).text).includes(GUARDED)) shown.push(file.split('/').at(-1) ?? '');
    }
    expect(shown.length).toBeGreaterThan(5);
  });
});

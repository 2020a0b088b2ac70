import { beforeAll, describe, expect, it } from 'vitest';
import { describeDashboardApi } from '../../src/dashboard-api/dashboard-openapi.js';
import { describeApi } from '../../src/processes/openapi.js';
import { createTenant, get, post, readBalance, request, type TestTenant } from '../support/client.js';
import type { Browser } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { createOperator, organisation, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

// The operations come from both API descriptions, so new operations are tested automatically.

const service = await startFileService();

function listOperations(paths: object): [name: string, method: string, path: string][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((each): [string, string, string] => {
      const method = each.toUpperCase();
      return [`${method} ${path}`, method, path];
    }),
  );
}

const ID = '01a1fc06-aaf7-7598-a650-5bdb926736ac';
const QUERY = '?serach=x&from_a~b/c=1';
const PROBLEM = { rule: 'parameter_unknown', message: 'is not a known query parameter' };
const PROBLEMS = [
  { pointer: '/serach', ...PROBLEM, hint: expect.stringMatching(/./) },
  { pointer: '/from_a~0b~1c', ...PROBLEM, hint: expect.stringMatching(/./) },
];

let owner: Browser;
let operator: Browser;
let tenantId: string;
let tenant: TestTenant;
beforeAll(async () => {
  ({ browser: owner, tenantId } = await organisation(service));
  ({ browser: operator } = await createOperator(service));
  tenant = await createTenant(service);
});

describe('unknown query parameter', () => {
  it.each(listOperations(describeDashboardApi(service.api).paths))(
    'is named in the 400 response of %s',
    async (_, method, path) => {
      const browser = path.includes('/operator/') ? operator : owner;
      const address = path
        .replace('/api/dashboard', '')
        .replace('{tenantId}', tenantId)
        .replace('{environment}', 'sandbox')
        .replaceAll(/\{\w+\}/g, ID);
      const sent = method === 'GET' ? undefined : {};
      const { status, body, text } = await browser.call<Problem>(method, address + QUERY, sent);
      expect(status, text).toBe(400);
      expect(body.details).toMatchObject(PROBLEMS);
    },
  );

  it.each(listOperations(describeApi(service.api).paths))(
    'is named in the 400 response of %s',
    async (_, method, path) => {
      const address = path.replace('{tin}', 'C9876543210').replace('{submissionBatchId}', ID);
      const headers = { 'X-API-Key': tenant.apiKey, 'Content-Type': 'application/json', 'idempotency-key': ID };
      const options = method === 'GET' ? { headers } : { method, headers, body: '{}' };
      const { status, body, text } = await request(service, address + QUERY, options);
      expect(status, text).toBe(400);
      expect(body).toMatchObject({ code: 'validation_failed', details: PROBLEMS });
    },
  );

  it.each([
    ['dry_run=true', 'did you mean dryRun?'],
    ['DRYRUN=true', 'did you mean dryRun?'],
    ['dry-run', 'did you mean dryRun?'],
    ['test=true', 'send one of the parameters of this operation: dryRun'],
  ])('never causes a submit instead of a dry run: %s', async (query, hint) => {
    const body = { submission_type: 'non-consolidated', documents: [invoice()] };
    const balance = await readBalance(service, tenant);
    const response = await post(service, tenant, { path: `/v1/einvoice/submit?${query}`, body });
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed', details: [{ hint }] } });
    expect(await readBalance(service, tenant)).toBe(balance);
  });

  it.each([
    ['idtype=BRN&idvalue=1', ['did you mean idType?', 'did you mean idValue?']],
    ['brn=202001234567', ['did you mean idType=BRN together with idValue?']],
    ['passport=A1234567', ['did you mean idType=PASSPORT together with idValue?']],
    ['number=1', ['send one of the parameters of this operation: idValue, idType']],
    ['__proto__=1', ['send one of the parameters of this operation: idValue, idType']],
  ])('never changes the id in a TIN check: %s', async (query, hints) => {
    const { status, body } = await get(service, tenant, `/v1/einvoice/validate-taxpayer-tin/EI00000000010?${query}`);
    expect(status).toBe(400);
    expect(body.details.map(({ hint }: { hint: string }) => hint)).toEqual(hints);
  });

  it('has a hint to omit it if the operation has no query parameters', async () => {
    const { body } = await get(service, tenant, `/health/live?_=1`);
    expect(body.message).toBe('_ is not a known query parameter');
    expect(body.details[0].hint).toBe('leave it out: this operation has no query parameters');
  });

  it('is checked after the API key', async () => {
    const stranger = await organisation(service);
    const address = `/organisations/${tenantId}/sandbox/transactions?serach=x`;
    expect((await stranger.browser.get(address)).status).toBe(404);
    expect((await request(service, `/v1/saas/submissions/${ID}/status?serach=x`)).status).toBe(401);
  });
});

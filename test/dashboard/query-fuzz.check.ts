import { insertBulkJob } from '../support/bulk-jobs.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../src/common/any-character.fixtures.js';
import { describeDashboardApi } from '../../src/dashboard-api/dashboard-openapi.js';
import type { Browser, DashboardResponse } from '../support/dashboard.js';
import { createOperator, organisation, type Problem } from '../support/people.js';
import { countRuns, RANDOM_SEED } from '../support/random.js';
import { startFileService } from '../support/file-service.js';

// Tests every query parameter in the OpenAPI description.

interface Parameter {
  readonly method: string;
  /** Parameter schema in the OpenAPI description. */
  readonly path: string;
  readonly name: string;
  readonly title: string;
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

const service = await startFileService();
const paths = Object.entries(describeDashboardApi(service.api).paths) as [string, Record<string, Described>][];
const parameters: readonly Parameter[] = paths.flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { parameters: described = [] }]) =>
    described
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => ({ method: method.toUpperCase(), path, name, title: `${method} ${path}?${name}` })),
  ),
);

let owner: Browser;
let operator: Browser;
let tenantId: string;
let jobId: string;
beforeAll(async () => {
  ({ browser: owner, tenantId } = await organisation(service));
  jobId = await insertBulkJob(service, tenantId);
  ({ browser: operator } = await createOperator(service));
});

/** Sends an authorised request with a raw query string. */
function ask({ method, path }: Parameter, query: string): Promise<DashboardResponse<Problem>> {
  const browser = path.includes('/operator/') ? operator : owner;
  const address = path
    .replace('/api/dashboard', '')
    .replace('{tenantId}', tenantId)
    .replace('{environment}', 'sandbox')
    .replace('{jobId}', jobId);
  return browser.call<Problem>(method, `${address}?${query}`, method === 'GET' ? undefined : {});
}

async function expectHarmless(parameter: Parameter, query: string): Promise<void> {
  const { status, body, text } = await ask(parameter, query);
  expect(status, `${query.slice(0, 200)}\n${text}`).toBeLessThan(500);
  if (status >= 400)
    expect(body, text).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/./) });
}

async function expectRefusedByName(parameter: Parameter, query: string): Promise<void> {
  const { status, body, text } = await ask(parameter, query);
  expect(status, text).toBe(400);
  const named = [...(body.details ?? []).map(({ pointer }) => pointer), body.message];
  expect(
    named.some((word) => word.includes(parameter.name)),
    text,
  ).toBe(true);
}

const encoded = (text: string): string => encodeURIComponent(text);
const encodeCursor = (text: string): string => Buffer.from(text).toString('base64url');

/** Raw values to test for a parameter. */
const VALUES: readonly string[] = [
  ['', '0', '-1', '1.5', '1e9', '201', 'NaN', 'Infinity', 'true', 'null', 'undefined', '9'.repeat(400)],
  ['2026-02-30', '0000-01-01', '1969-12-31', '1970-01-01', '9999-12-31', '10000-01-01', '2026-01-31T00:00:00Z'],
  ['{}', '[]', '{"$ne":1}', '__proto__', 'constructor', "' OR 1=1--", '%_\\', '\u202e\u{1f4a9}', '\n\r\t'].map(encoded),
  // Malformed UTF-8 (overlong NUL, unpaired surrogates, a truncated character) and malformed escapes.
  ['%C0%80', '%ED%A0%80', '%ED%B0%80', '%F0%9F', '%FF%FE', '%', '%zz', '%u0000'],
  ['\0', 'x', '9'.repeat(15), '9'.repeat(40), '00000000-0000-0000-0000-000000000000'].map(encodeCursor),
  ['x'.repeat(14_000)],
].flat();

describe.each(parameters)(`$title (RANDOM_SEED=${RANDOM_SEED})`, (parameter) => {
  const { name } = parameter;

  it('returns 400 for NUL, duplicates and nested values', async () => {
    for (const value of ['%00', 'a%00b', `${'x'.repeat(40)}%00`])
      await expectRefusedByName(parameter, `${name}=${value}`);
    await expectRefusedByName(parameter, `${name}=a&${name}=b`);
  });

  it('never returns a 5xx status', async () => {
    for (const value of VALUES) await expectHarmless(parameter, `${name}=${value}`);
    for (const query of [name, `${name}[]=1`, `${name}[a]=1`, `${name}&${name}`, `&&${name}==&=`]) {
      await expectHarmless(parameter, query);
    }
    const anything = fc.oneof(fc.string({ unit: ANY_CHARACTER }).map(encoded), fc.webQueryParameters());
    await fc.assert(
      fc.asyncProperty(anything, (value) => expectHarmless(parameter, `${name}=${value}`)),
      { numRuns: countRuns(5), seed: RANDOM_SEED },
    );
  });
});

it('query fuzzing covers every list of the dashboard', () => {
  expect(parameters.length).toBeGreaterThanOrEqual(50);
});

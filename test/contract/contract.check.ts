import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Description } from '../../sandbox-suite/description.js';
import { NO_RATE_LIMITS } from '../support/no-rate-limits.js';
import { buildPrograms } from '../support/program.js';
import { RANDOM_SEED, countRuns } from '../support/random.js';
import { createOrganisation, startDemo } from '../sandbox-suite/demo.js';
import { TestData } from '../standalone/test-data.js';
import { describedRequest, type GeneratedRequest, type KnownIds } from './requests.js';

// Tests that responses to valid and invalid requests match the API description.

const REQUESTS = countRuns(10_000);
const REQUESTS_AT_ONCE = 10;
const START_MS = 180_000;
const TIMEOUT_MS = 480_000;
const KNOWN_MAX = 200;

const description = Description.read(new URL('../../openapi.json', import.meta.url));
const known: KnownIds = { batches: [], documents: [] };
const count = new Map<string, number>();

let data: TestData;
let origin: string;
let apiKey: string;

beforeAll(async () => {
  await buildPrograms();
  data = await TestData.create();
  const baseUrl = await startDemo(data, NO_RATE_LIMITS);
  apiKey = await createOrganisation(data, { number: 1, credits: 1_000_000 });
  origin = new URL(baseUrl).origin;
}, START_MS);

afterAll(async () => {
  await data?.stopPrograms();
  await data?.remove();
}, START_MS);

async function send({ operation, pathname, hasKey, headers, body }: GeneratedRequest): Promise<void> {
  const response = await fetch(`${origin}${description.basePath}${pathname}`, {
    method: operation.method,
    headers: {
      ...(hasKey && { 'X-API-Key': apiKey }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body,
  });
  const text = await response.text();
  const received = { status: response.status, headers: response.headers, text };
  const name = `${operation.method.toUpperCase()} ${operation.path} ${response.status}`;
  count.set(name, (count.get(name) ?? 0) + 1);
  const violations = description.findViolations(operation, received);
  if (response.status >= 500) violations.push('a 5xx');
  expect(violations, `${name} for ${pathname} ${JSON.stringify(headers)} ${body}:\n${text}`).toEqual([]);
  if (response.status === 200) remember(JSON.parse(text) as Partial<Accepted>);
}

interface Accepted {
  readonly submissionBatchId: string;
  readonly documents: readonly { readonly documentId: string }[];
}

function remember({ submissionBatchId, documents }: Partial<Accepted>): void {
  if (submissionBatchId === undefined || known.batches.length >= KNOWN_MAX) return;
  known.batches.push(submissionBatchId);
  known.documents.push(...(documents ?? []).map(({ documentId }) => documentId));
}

describe(`${REQUESTS} requests built from openapi.json (RANDOM_SEED=${RANDOM_SEED})`, () => {
  it(
    'receive only statuses, headers and bodies that openapi.json describes',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(describedRequest(description, known), { minLength: REQUESTS_AT_ONCE, maxLength: REQUESTS_AT_ONCE }),
          async (requests) => {
            await Promise.all(requests.map(send));
          },
        ),
        { numRuns: REQUESTS / REQUESTS_AT_ONCE, seed: RANDOM_SEED, endOnFailure: true },
      ),
    TIMEOUT_MS,
  );

  it('cover accepted and rejected requests for every operation', () => {
    for (const { method, path, parameters } of description.operations) {
      const statuses = [...count.keys()]
        .filter((name) => name.startsWith(`${method.toUpperCase()} ${path} `))
        .map((name) => Number(name.split(' ').at(-1)));
      expect(
        statuses.some((status) => status < 400),
        `accepted: ${path}`,
      ).toBe(true);
      // An operation without parameters other than a request id cannot be rejected.
      if (parameters.length > 1) expect(Math.max(...statuses), `refused: ${path}`).toBeGreaterThanOrEqual(400);
    }
    const lines = [...count].map(([name, times]) => `${name}: ${times}`);
    process.stdout.write(`${lines.toSorted().join('\n')}\n`);
  });
});

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiResponse, createTenant, expectProblem, countTenantRows, submit } from '../support/client.js';
import { PROBLEMS_MAX } from '../../src/errors/api-error.js';
import { readSubmitBody } from '../../src/submission/submit-body.js';
import { toResponseWarnings } from '../../src/http/validation/warning-list.js';
import { invoice } from '../support/documents.js';
import { countRuns, RANDOM_SEED } from '../support/random.js';
import { retryWhileBusy } from '../support/retry-while-busy.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';
import { authorityFindings } from './authority-checks.js';
import { anyJson, hostileJson, submitBody } from './fuzz-bodies.js';
import { type SentBody, answered, judged } from './fuzz-report.js';

// Random bodies never cause a 5xx, and every error has the common error body (docs/rules.md#error-responses).

const BODIES = countRuns(1_000);
const BODIES_AT_ONCE = 10;
const TIMEOUT_MS = 600_000;

const SUBMIT = '/api/v1/einvoice/submit';
const CANCEL = '/api/v1/einvoice/cancel';

const service = await startFileService();
const tenant = await createTenant(service, { credits: 100_000 });

function send(path: string, body: SentBody): Promise<ApiResponse> {
  const headers: [string, string][] = [
    ['X-API-Key', tenant.apiKey],
    ['Content-Type', 'application/json'],
    ['idempotency-key', randomUUID()],
  ];
  return answered(body, () => retryWhileBusy(() => rawRequest(service, { path, headers, body })));
}

async function expectHarmless(path: string, body: SentBody): Promise<void> {
  const response = await send(path, body);
  judged(body, response, () => {
    expect(response.status).toBeLessThan(500);
    if (response.status >= 400) expectProblem(response);
    if (response.body.code === 'validation_failed') expectListed(response);
  });
}

/** Violated rules as text and as details, each with a hint. */
function expectListed({ body }: ApiResponse): void {
  const { message, errors, details } = body;
  expect(errors?.[0]).toBe(message);
  expect(errors.length).toBeLessThanOrEqual(PROBLEMS_MAX);
  expect(details).toHaveLength(errors.length);
  for (const { rule, hint } of details) expect(hint, rule).toMatch(/./);
}

describe(`service never returns a 5xx (RANDOM_SEED=${RANDOM_SEED})`, { timeout: TIMEOUT_MS }, () => {
  it('for any JSON in submit and cancel', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(SUBMIT, CANCEL), fc.oneof(anyJson, hostileJson), (path, body) =>
        expectHarmless(path, JSON.stringify(body)),
      ),
      { numRuns: countRuns(100), seed: RANDOM_SEED },
    ));

  it('for any documentId and reason in cancel', () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(hostileJson, fc.uuid()), hostileJson, (documentId, cancellationReason) =>
        expectHarmless(CANCEL, JSON.stringify({ documentId, cancellationReason })),
      ),
      { numRuns: countRuns(100), seed: RANDOM_SEED },
    ));

  it('for any bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => expectHarmless(SUBMIT, Buffer.from(bytes))),
      { numRuns: countRuns(100), seed: RANDOM_SEED },
    ));
});

// The service applies all rules of the authority that need no register. The authority may reject a document with
// a warning, but only for the reason in the warning.
describe(`${BODIES} submit bodies, from valid to hostile (RANDOM_SEED=${RANDOM_SEED})`, () => {
  const EXPECTED: Record<string, RegExp> = {
    recipient_tin_doubtful: /^CF358 /,
    recipient_email_doubtful: /^CF403 /,
    recipient_tin_of_malaysians: /^ERR237 /,
    recipient_tin_of_suppliers: /^ERR209 /,
    related_invoice_authority_uuid_doubtful: /^structure .*StringTooLong: .*\.UUID\[0\]/s,
  };
  const count = { accepted: 0, refused: 0, other: 0 };

  it(
    'receive a complete error or are accepted by the authority',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(submitBody(), { minLength: BODIES_AT_ONCE, maxLength: BODIES_AT_ONCE }),
          async (bodies) => {
            // Only the first bodies are submitted. Storing all of them would test the queue instead of the rules.
            const paths = bodies.map((_, index) => (index === 0 ? SUBMIT : `${SUBMIT}?dryRun=true`));
            const sent = bodies.map((body) => JSON.stringify(body));
            const responses = await Promise.all(sent.map((body, index) => send(paths[index], body)));
            for (const [index, response] of responses.entries()) {
              judged(sent[index], response, () => expectConsistent(bodies[index], response));
            }
          },
        ),
        { numRuns: BODIES / BODIES_AT_ONCE, seed: RANDOM_SEED },
      ),
    TIMEOUT_MS,
  );

  it('include many valid and many invalid bodies', () => {
    expect(count.accepted).toBeGreaterThan(BODIES / 10);
    expect(count.refused).toBeGreaterThan(BODIES / 10);
  });

  function expectConsistent(body: unknown, response: ApiResponse): void {
    expect(response.status).toBeLessThan(500);
    if (response.status === 200) {
      count.accepted += 1;
      expectTaken(body);
      return;
    }
    expectProblem(response);
    if (response.status === 400) expectListed(response);
    count[response.status === 400 ? 'refused' : 'other'] += 1;
  }

  function expectTaken(body: unknown): void {
    const now = new Date();
    const read = readSubmitBody(body, now);
    if ('problems' in read) throw new Error(`Accepted in spite of ${JSON.stringify(read.problems)}`);
    const { warnings } = toResponseWarnings(read.warnings.collect());
    for (const [index, { document }] of read.documents.entries()) {
      const warned = warnings.filter(({ documentIndex }) => documentIndex === index).map(({ rule }) => rule);
      const unexpected = authorityFindings(document, now).filter(
        (finding) => !warned.some((rule) => EXPECTED[rule]?.test(finding)),
      );
      expect(unexpected).toEqual([]);
    }
  }
});

it(
  'service charges exactly the stored documents and continues to accept submits',
  async () => {
    const { balance, document_transaction: stored } = await countTenantRows(service, tenant);
    expect(balance).toBe(100_000 - stored);
    expect((await submit(service, tenant, [invoice()])).status).toBe(200);
    await service.settle();
  },
  TIMEOUT_MS,
);

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, createTenant, expectProblem, holdingsOf, submit } from '../support/client.js';
import { PROBLEMS_MAX } from '../../src/errors/api-error.js';
import { readSubmitBody } from '../../src/submission/submit-body.js';
import { invoice } from '../support/documents.js';
import { patiently } from '../support/patience.js';
import { rawRequest } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service-of-file.js';
import { authorityFindings } from './authority-takes.js';
import { anyJson, nastyJson, submitBody } from './fuzz-bodies.js';
import { FUZZ_SEED, type SentBody, answered, judged } from './fuzz-report.js';

// D14 for bodies that nobody thought of: any answer but a 5xx, and every refusal in the form of all errors.

const BODIES = 10_000;
const BODIES_AT_ONCE = 10;
const TIMEOUT_MS = 600_000;

const SUBMIT = '/api/v1/einvoice/submit';
const CANCEL = '/api/v1/einvoice/cancel';

const service = await serviceOfFile();
const tenant = await createTenant(service, { credits: 100_000 });

function send(path: string, body: SentBody): Promise<Answer> {
  const headers: [string, string][] = [
    ['X-API-Key', tenant.apiKey],
    ['Content-Type', 'application/json'],
    ['idempotency-key', randomUUID()],
  ];
  return answered(body, () => patiently(() => rawRequest(service, { path, headers, body })));
}

async function expectHarmless(path: string, body: SentBody): Promise<void> {
  const answer = await send(path, body);
  judged(body, answer, () => {
    expect(answer.status).toBeLessThan(500);
    if (answer.status >= 400) expectProblem(answer);
    if (answer.body.code === 'validation_failed') expectListed(answer);
  });
}

/** Every broken rule, as a text and for programs, each with what to do about it. */
function expectListed({ body }: Answer): void {
  const { message, errors, details } = body;
  expect(errors?.[0]).toBe(message);
  expect(errors.length).toBeLessThanOrEqual(PROBLEMS_MAX);
  expect(details).toHaveLength(errors.length);
  for (const { rule, hint } of details) expect(hint, rule).toMatch(/./);
}

describe(`never a 5xx (FUZZ_SEED=${FUZZ_SEED})`, { timeout: TIMEOUT_MS }, () => {
  it('for any JSON to submit and cancel', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(SUBMIT, CANCEL), fc.oneof(anyJson, nastyJson), (path, body) =>
        expectHarmless(path, JSON.stringify(body)),
      ),
      { numRuns: 100, seed: FUZZ_SEED },
    ));

  it('for any documentId and reason to cancel', () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(nastyJson, fc.uuid()), nastyJson, (documentId, cancellationReason) =>
        expectHarmless(CANCEL, JSON.stringify({ documentId, cancellationReason })),
      ),
      { numRuns: 100, seed: FUZZ_SEED },
    ));

  it('for any bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => expectHarmless(SUBMIT, Buffer.from(bytes))),
      { numRuns: 100, seed: FUZZ_SEED },
    ));
});

// Rules equal to the authority's, as far as it can be known before a credit is spent. Whoever was warned may be refused,
// and for nothing else than what the warning said.
describe(`${BODIES} submit bodies, from valid to hostile (FUZZ_SEED=${FUZZ_SEED})`, () => {
  const EXPECTED: Record<string, RegExp> = {
    recipient_tin_doubtful: /^CF358 /,
    recipient_email_doubtful: /^CF403 /,
    recipient_tin_of_malaysians: /^ERR237 /,
    recipient_tin_of_suppliers: /^ERR209 /,
    related_invoice_authority_uuid_doubtful: /^structure .*StringTooLong: .*\.UUID\[0\]/s,
  };
  const count = { accepted: 0, refused: 0, other: 0 };

  it(
    'are never answered with a 5xx; every 400 lists what is broken; what is accepted, the authority takes',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(submitBody(), { minLength: BODIES_AT_ONCE, maxLength: BODIES_AT_ONCE }),
          async (bodies) => {
            // The first of them for good: to store all would test the queue and not the rules.
            const paths = bodies.map((_, index) => (index === 0 ? SUBMIT : `${SUBMIT}?dryRun=true`));
            const sent = bodies.map((body) => JSON.stringify(body));
            const answers = await Promise.all(sent.map((body, index) => send(paths[index], body)));
            for (const [index, answer] of answers.entries()) {
              judged(sent[index], answer, () => expectSound(bodies[index], answer));
            }
          },
        ),
        { numRuns: BODIES / BODIES_AT_ONCE, seed: FUZZ_SEED },
      ),
    TIMEOUT_MS,
  );

  it('are of both kinds, many of each', () => {
    expect(count.accepted).toBeGreaterThan(BODIES / 10);
    expect(count.refused).toBeGreaterThan(BODIES / 10);
  });

  function expectSound(body: unknown, answer: Answer): void {
    expect(answer.status).toBeLessThan(500);
    if (answer.status === 200) {
      count.accepted += 1;
      expectTaken(body);
      return;
    }
    expectProblem(answer);
    if (answer.status === 400) expectListed(answer);
    count[answer.status === 400 ? 'refused' : 'other'] += 1;
  }

  function expectTaken(body: unknown): void {
    const now = new Date();
    const read = readSubmitBody(body, now);
    if ('problems' in read) throw new Error(`Accepted in spite of ${JSON.stringify(read.problems)}`);
    const { warnings } = read.warnings.answered([]);
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
  'keeps the books: as many credits gone as documents stored, and the service goes on',
  async () => {
    const { balance, document_transaction: stored } = await holdingsOf(service, tenant);
    expect(balance).toBe(100_000 - stored);
    expect((await submit(service, tenant, [invoice()])).status).toBe(200);
    await service.settle();
  },
  TIMEOUT_MS,
);

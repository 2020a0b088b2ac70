import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, createTenant, expectProblem, holdingsOf, submit } from '../support/client.js';
import { readSubmitBody } from '../../src/submission/submit-body.js';
import { invoice } from '../support/documents.js';
import { rawRequest } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service-of-file.js';
import { authorityFindings } from './authority-takes.js';
import { anyJson, nastyJson, submitBody } from './fuzz-bodies.js';

// D14 for bodies that nobody thought of: any answer but a 5xx, and every refusal in the form of all errors.

const RUNS_OVER_HTTP = 1_000;
const RUNS_DIRECT = 10_000;
const TIMEOUT_MS = 120_000;

const service = await serviceOfFile();
const tenant = await createTenant(service, { credits: 100_000 });

function send(path: string, body: string | Buffer): Promise<Answer> {
  const headers: [string, string][] = [
    ['X-API-Key', tenant.apiKey],
    ['Content-Type', 'application/json'],
    ['idempotency-key', randomUUID()],
  ];
  return rawRequest(service, { path, headers, body });
}

async function expectHarmless(path: string, body: string | Buffer): Promise<void> {
  const answer = await send(path, body);
  expect(answer.status, `${body.toString().slice(0, 2_000)}\n${answer.text}`).toBeLessThan(500);
  if (answer.status >= 400) expectProblem(answer);
  if (answer.status !== 400 || answer.body.code !== 'validation_failed') return;
  const { message, errors, details } = answer.body;
  expect(errors[0]).toBe(message);
  expect(details).toHaveLength(errors.length);
}

describe('never a 5xx', { timeout: TIMEOUT_MS }, () => {
  const SUBMIT = '/api/v1/einvoice/submit';
  const CANCEL = '/api/v1/einvoice/cancel';

  it(
    `for ${RUNS_OVER_HTTP} submit bodies from valid to hostile`,
    () =>
      fc.assert(
        fc.asyncProperty(submitBody(), (body) => expectHarmless(SUBMIT, JSON.stringify(body))),
        { numRuns: RUNS_OVER_HTTP },
      ),
    120_000,
  );

  it('for any JSON to submit and cancel', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(SUBMIT, CANCEL), fc.oneof(anyJson, nastyJson), (path, body) =>
        expectHarmless(path, JSON.stringify(body)),
      ),
      { numRuns: 100 },
    ));

  it('for any documentId and reason to cancel', () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(nastyJson, fc.uuid()), nastyJson, (documentId, cancellationReason) =>
        expectHarmless(CANCEL, JSON.stringify({ documentId, cancellationReason })),
      ),
      { numRuns: 100 },
    ));

  it('for any bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => expectHarmless(SUBMIT, Buffer.from(bytes))),
      { numRuns: 100 },
    ));
});

// Rules equal to the authority's, as far as it can be known before a credit is spent. Whoever was warned may be refused,
// and for nothing else than what the warning said.
describe('what is accepted, the authority takes', () => {
  const EXPECTED: Record<string, RegExp> = {
    recipient_tin_doubtful: /^CF358 /,
    related_invoice_authority_uuid_doubtful: /^structure .*StringTooLong: .*\.UUID\[0\]/s,
  };

  it(`for ${RUNS_DIRECT} submit bodies from valid to hostile, and what is refused is refused with its reasons`, () => {
    const now = new Date();
    let accepted = 0;
    fc.assert(
      fc.property(submitBody(), (body) => {
        const read = readSubmitBody(body, now);
        if ('problems' in read) {
          expect(read.problems).not.toEqual([]);
          return;
        }
        const { warnings } = read.warnings.answered([]);
        for (const [index, { document }] of read.documents.entries()) {
          accepted += 1;
          const warned = warnings.filter(({ documentIndex }) => documentIndex === index).map(({ rule }) => rule);
          const unexpected = authorityFindings(document, now).filter(
            (finding) => !warned.some((rule) => EXPECTED[rule]?.test(finding)),
          );
          expect(unexpected).toEqual([]);
        }
      }),
      { numRuns: RUNS_DIRECT },
    );
    // Else the generator has become too hostile to mean anything.
    expect(accepted).toBeGreaterThan(RUNS_DIRECT / 10);
  }, 180_000);
});

it('keeps the books: as many credits gone as documents stored, and the service goes on', async () => {
  const { balance, document_transaction: stored } = await holdingsOf(service, tenant);
  expect(balance).toBe(100_000 - stored);
  expect((await submit(service, tenant, [invoice()])).status).toBe(200);
  await service.settle();
});

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createTenant, expectProblem, holdingsOf, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, recipient } from '../support/documents.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService } from '../support/service.js';

// D14 for bodies that nobody thought of: any answer but a 5xx, and every refusal in the form of all errors.

const RUNS = 300;

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await TestService.start();
  tenant = await createTenant(service, { credits: 100_000 });
});
afterAll(() => service.stop());

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
}

const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
/** What has broken parsers, stores and arithmetic before. */
const nastyJson = fc.constantFrom<unknown>(
  ...[null, true, '', ' ', '0', 0, -0, -1, 1e-7, 1e21, 1e308, 5e-324, 0.1 + 0.2, 9_007_199_254_740_993, []],
  ...[{}, [[]], [null], '\u0000', '\uD800', '\uDC00\uD800', 'x'.repeat(301), 'İ', 'ﷺ'.repeat(51), '💩'.repeat(26)],
  ...['__proto__', 'constructor', '2026-02-29', '0000-00-00', '+60123456789', 'EI00000000010', 'NaN', '1e5', "';--"],
);

/** A valid body in which some members were replaced. */
function mutatedBody(): fc.Arbitrary<unknown> {
  const mutation = fc.tuple(fc.nat(), fc.oneof(nastyJson, anyJson));
  const type = fc.constantFrom('consolidated', 'non-consolidated');
  return fc.tuple(type, fc.array(mutation, { minLength: 1, maxLength: 3 })).map(([submissionType, mutations]) => {
    const parent = { referenceId: 'NONE', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    const documents = [invoice({ recipient: { ...recipient } }), creditNote(parent)];
    const body: unknown = structuredClone({ submission_type: submissionType, documents });
    for (const [at, value] of mutations) {
      const places = placesIn(body);
      const { owner, name } = places[at % places.length];
      owner[name] = value;
    }
    return body;
  });
}

interface Place {
  readonly owner: Record<string, unknown>;
  readonly name: string;
}

/** Every member of every object and array in a value. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((name) => [{ owner, name }, ...placesIn(owner[name])]);
}

describe('never a 5xx', () => {
  const SUBMIT = '/api/v1/einvoice/submit';
  const CANCEL = '/api/v1/einvoice/cancel';

  it(`for ${RUNS} valid submit bodies with some members replaced`, () =>
    fc.assert(
      fc.asyncProperty(mutatedBody(), (body) => expectHarmless(SUBMIT, JSON.stringify(body))),
      { numRuns: RUNS },
    ));

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

it('keeps the books: as many credits gone as documents stored, and the service goes on', async () => {
  const { balance, document_transaction: stored } = await holdingsOf(service, tenant);
  expect(balance).toBe(100_000 - stored);
  expect((await submit(service, tenant, [invoice()])).status).toBe(200);
  await service.settle();
});

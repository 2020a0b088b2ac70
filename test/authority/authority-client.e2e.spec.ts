import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuthorityCall, SubmissionToSend } from '../../src/authority/authority-calls.js';
import type { AuthorityApi } from '../../src/authority/call-limits.js';
import type { Taxpayer } from '../../src/authority/tokens.js';
import { buildSubmitBody } from '../../src/authority/wire.js';
import { type AuthorityDocumentInput, buildAuthorityDocument } from '../../src/documents/authority-document.js';
import type { Supplier } from '../../src/documents/simplified-document.js';
import { type Simulator, startSimulator } from '../../simulator/simulator.js';
import { controlSimulator } from '../support/processes.js';
import { AuthorityHarness, type Handler, inTime, issueToken, json, LOGIN, type Replica } from './support.js';

let harness: AuthorityHarness;
let simulator: Simulator;
let replica: Replica;
let taxpayer: Taxpayer;
let supplier: Supplier;

beforeAll(async () => {
  harness = await AuthorityHarness.start();
  simulator = await startSimulator({ settings: { visibilityDelayMs: 0, validationDelayMs: 0 } });
  replica = await harness.replica({ authorityUrl: simulator.url, role: 'dispatcher' });
  supplier = golden('supplier') as Supplier;
  taxpayer = await harness.taxpayer(supplier.tin);
});

afterAll(async () => {
  await simulator?.close();
  await harness?.stop();
});

beforeEach(async () => {
  await control('reset');
  await harness.owner.query('TRUNCATE call_budget, authority_token');
  await control('settings', { visibilityDelayMs: 0, validationDelayMs: 0 });
});

function golden(name: string): unknown {
  const file = new URL(`../../src/documents/golden/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

const control = (call: string, body: object = {}): Promise<unknown> => controlSimulator(simulator.url, call, body);

function fault(api: string, name: string): Promise<unknown> {
  return control('faults', [{ when: { api }, fault: name, times: 1 }]);
}

async function call<Api extends AuthorityApi>(api: Api, on: Replica = replica): Promise<AuthorityCall<Api>> {
  const slot = await on.budget.reserve('sandbox', api, 1_000);
  if (slot === null) throw new Error('There was no slot');
  return { taxpayer, slot };
}

let count = 0;

function submission(...prefixes: string[]): SubmissionToSend {
  const documents = prefixes.map((prefix) => {
    const input = golden('invoice.input') as AuthorityDocumentInput;
    const referenceId = `${prefix}-${++count}`;
    const issuedAt = new Date(Math.floor(Date.now() / 1000 - 60) * 1000);
    const document = { ...input.document, referenceId };
    const bytes = buildAuthorityDocument({ ...input, supplier, document, issuedAt, period: null, version: '1.0' });
    return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), referenceId };
  });
  return { body: buildSubmitBody(documents), referenceIds: documents.map(({ referenceId }) => referenceId) };
}

describe('AuthorityClient with the simulator', () => {
  it('submits, polls and cancels a document and logs a trace id at each step', async () => {
    const invoice = submission('INV');
    const submitted = await replica.client.submit(await call('submit'), invoice);
    if (submitted.kind !== 'accepted') throw new Error(JSON.stringify(submitted));
    expect(submitted).toMatchObject({ rejected: [], correlationId: expect.stringMatching(/./) });
    const { authorityUuid } = submitted.accepted[0] ?? { authorityUuid: '' };
    const { submissionUid } = submitted;
    const followed = await replica.client.getSubmission(await call('getSubmission'), submissionUid ?? '');
    expect(followed).toMatchObject({ kind: 'found', documents: [{ authorityUuid, submissionUid, status: 'Valid' }] });
    const cancelled = await replica.client.cancel(await call('cancel'), { authorityUuid, reason: 'Wrong buyer' });
    expect(cancelled.kind).toBe('cancelled');
    const again = await replica.client.cancel(await call('cancel'), { authorityUuid, reason: 'Wrong buyer' });
    expect(again).toMatchObject({ kind: 'refused', code: 'IncorrectState' });
    expect(await replica.client.details(await call('details'), authorityUuid)).toMatchObject({
      kind: 'found',
      document: { status: 'Cancelled', referenceId: invoice.referenceIds[0] },
    });
  });

  it('finds a document with a lost response by searching', async () => {
    await fault('submit', 'drop-after');
    const invoice = submission('INV/2026-');
    expect((await replica.client.submit(await call('submit'), invoice)).kind).toBe('unknown');
    const hour = 3_600_000;
    const window = { submittedFrom: new Date(Date.now() - hour), submittedTo: new Date(Date.now() + hour), page: 1 };
    const page = await replica.client.search(await call('search'), window);
    expect(page).toMatchObject({ kind: 'page', totalPages: 1 });
    const found = page.kind === 'page' ? page.rows.map(({ referenceId }) => referenceId) : [];
    expect(found).toEqual(invoice.referenceIds);
  });

  it('returns refused for a cancellation response with status 200 and an error', async () => {
    const submitted = await replica.client.submit(await call('submit'), submission('INV'));
    const authorityUuid = submitted.kind === 'accepted' ? (submitted.accepted[0]?.authorityUuid ?? '') : '';
    await fault('cancel', 'cancel-200-with-error');
    const outcome = await replica.client.cancel(await call('cancel'), { authorityUuid, reason: 'x' });
    expect(outcome).toMatchObject({ kind: 'refused', code: 'UpdateFailed' });
  });

  it('returns not-yet for an unknown submission', async () => {
    const uid = '4GP7CCS5FE74GBZ5QFD7EXWJ10';
    expect((await replica.client.getSubmission(await call('getSubmission'), uid)).kind).toBe('not-yet');
    expect((await replica.client.details(await call('details'), uid)).kind).toBe('not-found');
  });
});

const SUBMIT = '/api/v1.0/documentsubmissions';
const SEARCH = '/api/v1.0/documents/search';
const CHECK = { tin: 'C25845632020', idType: 'BRN', idValue: '201901234567' } as const;
const VALIDATE = `/api/v1.0/taxpayer/validate/${CHECK.tin}`;

describe('AuthorityClient', () => {
  async function scripted(handler: Handler): Promise<{ on: Replica; requestsTo: (path: string) => number }> {
    const authority = await harness.serve((exchange) =>
      exchange.path === LOGIN ? issueToken(exchange) : handler(exchange),
    );
    const on = await harness.replica({ authorityUrl: authority.url });
    return { on, requestsTo: (path) => authority.requestsTo(path) };
  }

  it('returns unauthorized after a second 401 with a new token', async () => {
    const { on, requestsTo } = await scripted(({ response, index }) => {
      if (index === 0) response.writeHead(200).end();
      else json(response, 401, {});
    });
    await on.client.validateTin(await call('validateTin', on), CHECK);
    expect((await on.client.validateTin(await call('validateTin', on), CHECK)).kind).toBe('unauthorized');
    expect(requestsTo(LOGIN)).toBe(2);
    expect(requestsTo(VALIDATE)).toBe(3);
  });

  it('does not retry a 401 that was returned for a new token', async () => {
    const { on, requestsTo } = await scripted(({ response }) => json(response, 401, {}));
    expect((await on.client.validateTin(await call('validateTin', on), CHECK)).kind).toBe('unauthorized');
    expect(requestsTo(LOGIN)).toBe(1);
  });

  it('ends a submit as unknown and a read as unavailable at the deadline', async () => {
    const { on, requestsTo } = await scripted(({ response, path }) => path === VALIDATE && response.end());
    // Logs in first, so that the deadline applies only to the calls.
    await on.client.validateTin(await call('validateTin', on), CHECK);
    const [submit, search] = [await call('submit', on), await call('search', on)];
    const { deadlineAt } = inTime(2);
    const window = { submittedFrom: new Date(0), submittedTo: new Date(), page: 1 };
    const outcomes = await Promise.all([
      on.client.submit({ ...submit, deadlineAt }, submission('INV')),
      on.client.search({ ...search, deadlineAt }, window),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'unavailable']);
    expect(performance.now()).toBeGreaterThanOrEqual(deadlineAt);
    expect([requestsTo(SUBMIT), requestsTo(SEARCH)]).toEqual([1, 1]);
  });

  it('does not send a call after its deadline', async () => {
    const { on, requestsTo } = await scripted(({ response }) => response.writeHead(200).end());
    await on.client.validateTin(await call('validateTin', on), CHECK);
    const late = { ...(await call('submit', on)), deadlineAt: performance.now() - 1 };
    expect(await on.client.submit(late, submission('INV'))).toMatchObject({ kind: 'unavailable', cause: 'not-sent' });
    expect(requestsTo(SUBMIT)).toBe(0);
  });

  it('returns unknown for an aborted submit without recording an authority failure', async () => {
    const abort = new AbortController();
    const { on } = await scripted(() => abort.abort());
    const given = { ...(await call('submit', on)), signal: abort.signal };
    expect((await on.client.submit(given, submission('INV'))).kind).toBe('unknown');
    expect(await on.budget.reserve('sandbox', 'submit', 0)).toMatchObject({ isProbe: false });
  });

  it('does not send a call that was aborted while it waited for its slot', async () => {
    const { on, requestsTo } = await scripted(({ response }) => response.end());
    await on.budget.block('sandbox', 'submit', 30, 'call_budget');
    const slot = await on.budget.reserve('sandbox', 'submit', 60_000);
    if (slot === null) throw new Error('There was no slot');
    const abort = new AbortController();
    const outcome = on.client.submit({ taxpayer, slot, signal: abort.signal }, submission('INV'));
    abort.abort();
    expect(await outcome).toMatchObject({ kind: 'unavailable', cause: 'not-sent' });
    expect(requestsTo(SUBMIT)).toBe(0);
  });

  it('sends no call if the database cannot provide its token', async () => {
    const { on, requestsTo } = await scripted(({ response }) => response.end());
    const given = await call('submit', on);
    await harness.owner.query('ALTER TABLE authority_token RENAME TO authority_token_away');
    try {
      expect(await on.client.submit(given, submission('INV'))).toMatchObject({
        kind: 'unavailable',
        cause: 'not-sent',
      });
      expect(requestsTo(SUBMIT)).toBe(0);
    } finally {
      await harness.owner.query('ALTER TABLE authority_token_away RENAME TO authority_token');
    }
  });

  it('returns the outcome of a call even if the call budget cannot be written', async () => {
    const { on } = await scripted(({ response, path }) => json(response, path === SUBMIT ? 500 : 200, {}));
    await on.client.validateTin(await call('validateTin', on), CHECK);
    const given = await call('submit', on);
    await harness.owner.query('ALTER TABLE call_budget RENAME TO call_budget_away');
    try {
      expect((await on.client.submit(given, submission('INV'))).kind).toBe('unknown');
    } finally {
      await harness.owner.query('ALTER TABLE call_budget_away RENAME TO call_budget');
    }
  });

  it('rejects a slot that was already used', async () => {
    const { on } = await scripted(({ response }) => response.writeHead(200).end());
    const given = await call('validateTin', on);
    await on.client.validateTin(given, CHECK);
    await expect(on.client.validateTin(given, CHECK)).rejects.toThrow(/twice/);
  });
});

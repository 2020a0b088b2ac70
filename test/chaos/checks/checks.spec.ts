import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../load/history.js';
import { checkShared, checkTenant } from './checks.js';
import type { CheckName, Finding, RecordedRow, SharedEvidence, TenantEvidence, TransactionRow } from './evidence.js';

// One batch of two invoices: the first one is cancelled, the second one is valid.
const CONTENT = { type: '01', payableSen: 10_000, lines: 1, buyer: 'Pembeli' };

function transaction(number: number, more: Partial<TransactionRow> = {}): TransactionRow {
  return {
    id: `t${number}`,
    documentId: `d${number}`,
    submissionBatchId: 'b1',
    position: number - 1,
    attempt: 1,
    documentType: 'invoice',
    referenceId: `INV-${number}`,
    submissionStatus: 'Submitted',
    authorityStatus: 'Valid',
    authorityUuid: `U${number}`,
    sha256: `hash${number}`,
    content: { ...CONTENT, number: `INV-${number}` },
    ...more,
  };
}

const sent = (number: number) => ({
  documentType: 'invoice' as const,
  referenceId: `INV-${number}`,
  payableSen: CONTENT.payableSen,
  lines: CONTENT.lines,
  buyer: CONTENT.buyer,
});

const ok = { status: 200, code: null, sha256: 'answer1' };

const submitted: HistoryEntry & { kind: 'submit' } = {
  kind: 'submit',
  key: 'k1',
  answers: [{ status: 503, code: 'unavailable', sha256: null }, ok],
  documents: [sent(1), sent(2)],
  accepted: {
    submissionBatchId: 'b1',
    documents: [1, 2].map((number) => ({
      documentId: `d${number}`,
      documentType: 'invoice',
      referenceId: `INV-${number}`,
    })),
  },
};

const cancelled: HistoryEntry = {
  kind: 'cancel',
  key: 'k2',
  answers: [{ status: 202, code: null, sha256: 'answer2' }],
  documentId: 'd1',
  accepted: { documentId: 'd1', transactionId: 'c1' },
};

const moves = (transactionId: string, ...states: string[]) =>
  states.slice(1).map((toState, index) => ({ transactionId, version: index + 2, fromState: states[index], toState }));

const wire = (number: number) => ({
  sha256: `hash${number}`,
  number: `INV-${number}`,
  type: '01',
  supplierTin: 'C1',
  uuid: `U${number}`,
});

let eventIds = 0;
const delivered = (documentId: string, ...sources: string[]): RecordedRow[] =>
  sources.map((source) => {
    const kind = source.startsWith('t') ? 'status' : 'cancellation';
    return { consumer: 'export', eventId: String((eventIds += 1)), documentId, kind, source };
  });
const RECORDED = [
  ...delivered('d1', 't1 1', 't1 2', 't1 3', 't1 4', 't1 5', 't1 6', 'c1 Queued', 't1 7', 'c1 Completed'),
  ...delivered('d2', 't2 1', 't2 2', 't2 3', 't2 4'),
];

const CONSISTENT: TenantEvidence = {
  tenantId: 'tenant',
  history: [submitted, cancelled, { kind: 'ids', ids: ['b1', 'd1', 'd2', 't1', 'c1'] }],
  batches: [{ id: 'b1', documentCount: 2 }],
  transactions: [transaction(1, { authorityStatus: 'Cancelled' }), transaction(2)],
  events: [
    ...moves('t1', 'queued', 'processing', 'queued', 'processing', 'submitted', 'valid', 'cancelled'),
    ...moves('t2', 'queued', 'processing', 'submitted', 'valid'),
  ],
  cancellations: [{ id: 'c1', documentId: 'd1', transactionId: 't1', status: 'Completed', errorCount: 0 }],
  submissions: [{ id: 's1', state: 'accepted' }],
  account: { balance: 7, entrySequence: 3 },
  lots: [{ granted: 10, remaining: 7 }],
  entries: [
    { sequence: 1, kind: 'grant', amount: 10, balanceAfter: 10, causeId: 'lot' },
    { sequence: 2, kind: 'submit', amount: -2, balanceAfter: 8, causeId: 'b1' },
    { sequence: 3, kind: 'cancel', amount: -1, balanceAfter: 7, causeId: 'c1' },
  ],
  answers: [
    { operation: 'submit', key: 'k1', sha256: 'answer1' },
    { operation: 'cancel', key: 'k2', sha256: 'answer2' },
  ],
  wire: [wire(1), wire(2)],
  statusByUuid: new Map([
    ['U1', 'Cancelled'],
    ['U2', 'Valid'],
  ]),
  consumers: ['export'],
  recorded: RECORDED,
};

const QUIESCENT: SharedEvidence = { calls: [], leftovers: [], violations: [], departures: [], unanswered: [] };

const listChecks = (findings: readonly Finding[]): CheckName[] => [...new Set(findings.map(({ check }) => check))];

/** Returns the checks that report findings for the consistent evidence with this change. */
function found(change: Partial<TenantEvidence>): CheckName[] {
  return listChecks(checkTenant({ ...CONSISTENT, ...change }));
}

describe('a chaos check', () => {
  it('reports nothing for consistent evidence', () => {
    expect(checkTenant(CONSISTENT)).toEqual([]);
    expect(checkShared(QUIESCENT)).toEqual([]);
  });

  const withHistory = (...entries: HistoryEntry[]) => ({ history: [...CONSISTENT.history, ...entries] });
  const withTransaction = (more: Partial<TransactionRow>) => ({
    transactions: [CONSISTENT.transactions[0], transaction(2, more)],
  });

  const broken: readonly [string, CheckName, Partial<TenantEvidence>][] = [
    ['an acknowledged batch that is missing', 'lost', { batches: [] }],
    ['an acknowledged document that is missing', 'lost', { transactions: [CONSISTENT.transactions[0]] }],
    ['a document with an unacknowledged id', 'lost', withTransaction({ documentId: 'other' })],
    ['documents in an unacknowledged order', 'lost', withTransaction({ position: -1 })],
    [
      'a batch that was never acknowledged',
      'unasked',
      { batches: [...CONSISTENT.batches, { id: 'b2', documentCount: 1 }] },
    ],
    ['the same bytes accepted twice', 'duplicated', { wire: [...CONSISTENT.wire, { ...wire(2), uuid: 'U3' }] }],
    [
      'two different documents accepted for one attempt',
      'duplicated',
      { wire: [...CONSISTENT.wire, { ...wire(2), uuid: 'U3', sha256: 'x' }] },
    ],
    [
      'an accepted document whose bytes are not stored',
      'content_off',
      { wire: [CONSISTENT.wire[0], { ...wire(2), sha256: 'x' }] },
    ],
    ['an accepted document without an attempt', 'content_off', withTransaction({ authorityUuid: null })],
    ['a uuid that the authority never issued', 'content_off', withTransaction({ authorityUuid: 'U9' })],
    ['two attempts with the same authority document', 'content_off', withTransaction({ authorityUuid: 'U1' })],
    ['a status that differs from the authority', 'content_off', withTransaction({ authorityStatus: 'Invalid' })],
    [
      'a document whose content differs from the request',
      'content_off',
      withTransaction({ content: { ...CONTENT, number: 'INV-2', payableSen: 1 } }),
    ],
    [
      'a charge without a batch',
      'credits_off',
      {
        entries: [...CONSISTENT.entries, { sequence: 4, kind: 'submit', amount: -1, balanceAfter: 6, causeId: 'b9' }],
        account: { balance: 6, entrySequence: 4 },
        lots: [{ granted: 10, remaining: 6 }],
      },
    ],
    [
      'a batch without a charge',
      'credits_off',
      {
        entries: CONSISTENT.entries.slice(0, 1),
        account: { balance: 10, entrySequence: 1 },
        lots: [{ granted: 10, remaining: 10 }],
      },
    ],
    [
      'a balance that differs from the sum of the entries',
      'credits_off',
      { account: { balance: 8, entrySequence: 3 } },
    ],
    ['credit lots that differ from the balance', 'credits_off', { lots: [{ granted: 10, remaining: 8 }] }],
    [
      'a gap in the ledger',
      'credits_off',
      { entries: CONSISTENT.entries.map((entry) => ({ ...entry, sequence: entry.sequence * 2 })) },
    ],
    [
      'a replay that differs',
      'responses_off',
      withHistory({
        kind: 'again',
        operation: 'submit',
        key: 'k1',
        isSameBody: true,
        answers: [{ ...ok, sha256: 'other' }],
      }),
    ],
    [
      'an error after a success',
      'responses_off',
      withHistory({
        kind: 'again',
        operation: 'submit',
        key: 'k1',
        isSameBody: true,
        answers: [{ status: 409, code: 'duplicate_document', sha256: null }],
      }),
    ],
    [
      'an accepted request with a used key and another body',
      'responses_off',
      withHistory({ kind: 'again', operation: 'submit', key: 'k1', isSameBody: false, answers: [ok] }),
    ],
    [
      'a stored response that was never sent',
      'responses_off',
      { answers: [{ operation: 'submit', key: 'k1', sha256: 'other' }, CONSISTENT.answers[1]] },
    ],
    [
      'a response that the interface does not define',
      'responses_off',
      withHistory({ kind: 'unexpected', what: 'submit was answered 401' }),
    ],
    [
      'a forbidden transition',
      'illegal_transitions',
      { events: [...moves('t2', 'queued', 'submitted', 'valid'), ...CONSISTENT.events.slice(0, 6)] },
    ],
    [
      'a history with a gap',
      'illegal_transitions',
      { events: CONSISTENT.events.filter(({ toState }) => toState !== 'submitted') },
    ],
    [
      'a history without an attempt',
      'illegal_transitions',
      { events: [...CONSISTENT.events, ...moves('t77', 'queued', 'processing')] },
    ],
    [
      'a history that does not end in the current status',
      'illegal_transitions',
      { events: CONSISTENT.events.slice(0, -1) },
    ],
    ['an attempt without an outcome', 'unresolved', withTransaction({ authorityStatus: 'Submitted' })],
    ['a call in doubt', 'unresolved', { submissions: [{ id: 's1', state: 'unknown' }] }],
    ['an open cancellation', 'unresolved', { cancellations: [{ ...CONSISTENT.cancellations[0], status: 'Queued' }] }],
    ["another tenant's id in a response", 'foreign_ids', withHistory({ kind: 'ids', ids: ['d77'] })],
    [
      "a successful request for another tenant's batch",
      'foreign_ids',
      withHistory({ kind: 'foreign', key: 'b7', answers: [ok] }),
    ],
    [
      'a completed cancellation without effect',
      'cancels_off',
      {
        statusByUuid: new Map([
          ['U1', 'Valid'],
          ['U2', 'Valid'],
        ]),
      },
    ],
    [
      'a failed cancellation that took effect',
      'cancels_off',
      { cancellations: [{ ...CONSISTENT.cancellations[0], status: 'Failed', errorCount: 1 }] },
    ],
    [
      'a failed cancellation without a reason',
      'cancels_off',
      { cancellations: [...CONSISTENT.cancellations, { ...CONSISTENT.cancellations[0], id: 'c2', status: 'Failed' }] },
    ],
    [
      'two cancellations of one document',
      'cancels_off',
      { cancellations: [...CONSISTENT.cancellations, { ...CONSISTENT.cancellations[0], id: 'c2' }] },
    ],
    ['an acknowledged cancellation that is missing', 'cancels_off', { cancellations: [] }],
    ['an event that was not delivered', 'deliveries_off', { recorded: RECORDED.slice(0, -1) }],
    ['an event that was delivered to one of two consumers', 'deliveries_off', { consumers: ['export', 'mail'] }],
    ['an event that was delivered twice', 'deliveries_off', { recorded: [...RECORDED, RECORDED[12]] }],
    [
      'events of an attempt in the wrong order',
      'deliveries_off',
      { recorded: [RECORDED[1], RECORDED[0], ...RECORDED.slice(2)] },
    ],
    [
      'the end of a cancellation before its start',
      'deliveries_off',
      { recorded: [...RECORDED.slice(0, 6), RECORDED[8], RECORDED[6], RECORDED[7], ...RECORDED.slice(9)] },
    ],
    [
      'versions of an attempt in the wrong order, even with ascending event ids',
      'deliveries_off',
      {
        recorded: RECORDED.map((row, index) => (index < 2 ? { ...row, source: RECORDED[1 - index].source } : row)),
      },
    ],
  ];

  it.each(broken)('reports %s', (_, check, change) => {
    expect(found(change)).toContain(check);
  });

  const call = (at: number, more: object = {}) => ({
    api: 'submit',
    clientId: 'c',
    at,
    status: 202,
    fault: null,
    retryAfterSeconds: null,
    ...more,
  });
  const throttled = call(10_000, { status: 429, fault: '429-seconds', retryAfterSeconds: 3 });

  it('reports a call within the Retry-After of a 429', () => {
    expect(listChecks(checkShared({ ...QUIESCENT, calls: [throttled, call(12_500)] }))).toEqual(['calls_off']);
  });

  it('reports a 429 of a rate limit unless an injected fault caused it', () => {
    const [limited, injected] = [call(10_000, { status: 429 }), call(20_000, { status: 429, fault: '429-bare' })];
    expect(listChecks(checkShared({ ...QUIESCENT, calls: [limited] }))).toEqual(['calls_off']);
    expect(checkShared({ ...QUIESCENT, calls: [injected] })).toEqual([]);
  });

  it('accepts calls outside the Retry-After, of another API and of another client', () => {
    const calls = [
      throttled,
      call(10_500),
      call(13_000),
      call(12_000, { api: 'search' }),
      call(12_000, { clientId: 'd' }),
    ];
    expect(checkShared({ ...QUIESCENT, calls })).toEqual([]);
  });

  it('reports leftovers, unanswered calls and undelivered events', () => {
    const shared = {
      ...QUIESCENT,
      leftovers: ['3 connections'],
      violations: ['api-1 ended'],
      unanswered: ['submit of INV-1'],
      departures: ['d1 has 2 dead letters'],
    };
    expect(listChecks(checkShared(shared))).toEqual(['leaked', 'unresolved', 'deliveries_off']);
  });
});

import { groupBy } from './group.js';
import type { Finding, TenantEvidence, TransactionRow } from './evidence.js';

// Repeats docs/rules.md#statuses on purpose, because the service's own table may be wrong.
const MOVES: Readonly<Record<string, readonly string[]>> = {
  queued: ['processing', 'submitFailed'],
  processing: ['queued', 'submitted', 'submitFailed'],
  submitted: ['valid', 'invalid', 'cancelled'],
  valid: ['cancelled'],
};

/**
 * Check 7: the history of every attempt consists of allowed transitions without gaps and ends in its current status.
 */
export function findIllegalTransitions({ tenantId, transactions, events }: TenantEvidence): Finding[] {
  const byTransaction = groupBy(events, ({ transactionId }) => transactionId);
  const known = new Set(transactions.map(({ id }) => id));
  const findings = [...byTransaction.keys()]
    .filter((transactionId) => !known.has(transactionId))
    .map((transactionId): Finding => {
      const ids = { tenantId, transactionId };
      return { check: 'illegal_transitions', what: 'a history of no attempt', ids };
    });
  for (const row of transactions) {
    const chain = [...(byTransaction.get(row.id) ?? [])].sort((a, b) => a.version - b.version);
    let state = 'queued';
    const report = (what: string): void => {
      const ids = { tenantId, transactionId: row.id, referenceId: row.referenceId };
      findings.push({ check: 'illegal_transitions', what, ids });
    };
    for (const { fromState, toState } of chain) {
      if (fromState !== state) report(`the history jumps from ${state} to ${fromState}`);
      if (!(MOVES[fromState] ?? []).includes(toState)) report(`${fromState} became ${toState}`);
      state = toState;
    }
    if (state !== toState(row)) report(`the history ends ${state}, the attempt is ${toState(row)}`);
  }
  return findings;
}

const ENDS: ReadonlySet<string> = new Set(['valid', 'invalid', 'cancelled', 'submitFailed']);
const OPEN_SUBMISSIONS: ReadonlySet<string> = new Set(['sending', 'unknown']);
const OPEN_CANCELLATIONS: ReadonlySet<string> = new Set(['Queued', 'Processing']);

/** Checks 2 and 11: every document, call and cancellation has its outcome. */
export function findUnresolved({ tenantId, transactions, submissions, cancellations }: TenantEvidence): Finding[] {
  const open = [
    ...transactions
      .filter((row) => !ENDS.has(toState(row)))
      .map((row) => ({ of: 'attempt', id: row.id, state: toState(row) })),
    ...submissions
      .filter(({ state }) => OPEN_SUBMISSIONS.has(state))
      .map((row) => ({ of: 'call to the authority', ...row })),
    ...cancellations
      .filter(({ status }) => OPEN_CANCELLATIONS.has(status))
      .map(({ id, status }) => ({ of: 'cancellation', id, state: status })),
  ];
  return open.map(({ of, id, state }) => ({
    check: 'unresolved',
    what: `a ${of} is still ${state}`,
    ids: { tenantId, id },
  }));
}

/** Check 10: an acknowledged cancellation takes effect once or fails with a reason. */
export function findCancelsOff(evidence: TenantEvidence): Finding[] {
  const problems = [...listNotStored(evidence), ...silentFailures(evidence), ...wrongEffects(evidence)];
  return problems.map(({ what, id }) => ({ check: 'cancels_off', what, ids: { tenantId: evidence.tenantId, id } }));
}

interface Problem {
  readonly what: string;
  readonly id: string;
}

function listNotStored({ history, cancellations }: TenantEvidence): Problem[] {
  const known = new Map(cancellations.map((row) => [row.id, row.documentId]));
  return history.flatMap((entry) => {
    if (entry.kind !== 'cancel' || entry.accepted === null) return [];
    const { transactionId: id } = entry.accepted;
    const what = 'an acknowledged cancel is not stored as the client was told';
    return known.get(id) === entry.documentId ? [] : [{ what, id }];
  });
}

function silentFailures({ cancellations }: TenantEvidence): Problem[] {
  return cancellations
    .filter(({ status, errorCount }) => status === 'Failed' && errorCount === 0)
    .map(({ id }) => ({ what: 'a failed cancel does not say why', id }));
}

function wrongEffects({ transactions, cancellations, statusByUuid }: TenantEvidence): Problem[] {
  const completed = groupBy(
    cancellations.filter(({ status }) => status === 'Completed'),
    ({ transactionId }) => transactionId,
  );
  return transactions.flatMap((row) => {
    const times = completed.get(row.id)?.length ?? 0;
    const isCancelled = statusByUuid.get(row.authorityUuid ?? '') === 'Cancelled';
    const problems: string[] = [];
    if (times > 1) problems.push('two cancels of one document were both completed');
    if (times > 0 && !(isCancelled && row.authorityStatus === 'Cancelled'))
      problems.push('a completed cancel had no effect');
    if (times === 0 && isCancelled) problems.push('cancelled at the authority, and no cancel says so');
    return problems.map((what) => ({ what, id: row.id }));
  });
}

function toState({ submissionStatus, authorityStatus }: TransactionRow): string {
  if (authorityStatus !== null) return authorityStatus.toLowerCase();
  return submissionStatus.slice(0, 1).toLowerCase() + submissionStatus.slice(1);
}

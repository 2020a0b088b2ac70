import { groupBy } from './group.js';
import type { HistoryEntry, ReceivedResponse } from '../load/history.js';
import type { Finding, TenantEvidence } from './evidence.js';

interface RecordedRequest extends ReceivedResponse {
  /** Operation and idempotency-key. */
  readonly call: string;
}

/** Check 6: after the first success of a key, every replay returns the same bytes. */
export function findResponsesOff({ tenantId, history, answers }: TenantEvidence): Finding[] {
  const stored = new Map(answers.map((answer) => [`${answer.operation} ${answer.key}`, answer.sha256]));
  const received = groupBy(history.flatMap(listResponses), ({ call }) => call);
  const problems = [
    ...history.flatMap(findUnexpectedEntry),
    ...[...received].flatMap(([call, sequence]) =>
      findUnexpectedSequence(sequence, stored.get(call) ?? null).map((what) => ({ what, call })),
    ),
  ];
  return problems.map(({ what, call }) => ({ check: 'responses_off', what, ids: { tenantId, call } }));
}

/** Lists the responses to the original request and to its replays with the same body. */
function listResponses(entry: HistoryEntry): RecordedRequest[] {
  if (entry.kind === 'submit' || entry.kind === 'cancel') {
    return entry.answers.map((answer) => ({ call: `${entry.kind} ${entry.key}`, ...answer }));
  }
  if (entry.kind !== 'again' || !entry.isSameBody) return [];
  return entry.answers.map((answer) => ({ call: `${entry.operation} ${entry.key}`, ...answer }));
}

function findUnexpectedEntry(entry: HistoryEntry): { what: string; call: string | null }[] {
  if (entry.kind === 'unexpected') return [{ what: entry.what, call: null }];
  if (entry.kind !== 'again' || entry.isSameBody || !entry.answers.some(isSuccess)) return [];
  return [{ what: 'another body was accepted under a used key', call: `${entry.operation} ${entry.key}` }];
}

function findUnexpectedSequence(sequence: readonly RecordedRequest[], stored: string | null): string[] {
  const later = sequence.slice(sequence.findIndex(isSuccess));
  if (!later.some(isSuccess)) return [];
  const other = later.find((answer) => !isSuccess(answer) && !mayFollowSuccess(answer));
  const texts = new Set(later.filter(isSuccess).map(({ sha256 }) => sha256));
  return [
    ...(other === undefined ? [] : [`answered ${other.status} ${other.code ?? ''} after a success`]),
    ...(texts.size > 1 ? ['a replay differs from the first answer'] : []),
    ...(texts.has(stored) ? [] : ['the stored answer is not the one that was given']),
  ];
}

function isSuccess({ status }: ReceivedResponse): boolean {
  return status === 200 || status === 202;
}

// A replay may fail because of an injected fault.
function mayFollowSuccess({ status, code }: ReceivedResponse): boolean {
  return status >= 500 || status === 429 || code === 'idempotency_key_in_progress';
}

/** Check 9: responses to a tenant contain only ids of the tenant. */
export function findForeignIds({ tenantId, history, batches, transactions, cancellations }: TenantEvidence): Finding[] {
  const own = new Set<string>();
  for (const { id } of [...batches, ...cancellations]) own.add(id);
  for (const { id, documentId } of transactions) own.add(id).add(documentId);
  const findings: Finding[] = [];
  for (const entry of history) {
    if (entry.kind === 'foreign' && entry.answers.some(({ status }) => status < 400)) {
      findings.push({
        check: 'foreign_ids',
        what: "another tenant's ids were answered",
        ids: { tenantId, key: entry.key },
      });
    }
    if (entry.kind !== 'ids') continue;
    const foreign = entry.ids.filter((id) => !own.has(id));
    findings.push(
      ...foreign.map((id): Finding => ({ check: 'foreign_ids', what: 'told, and not its own', ids: { tenantId, id } })),
    );
  }
  return findings;
}

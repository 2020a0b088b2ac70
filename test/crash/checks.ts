import { findDeliveryProblems } from '../support/event-recorder.js';
import { retryUntilAnswered } from './client.js';
import type { FinalStatus, Play, ShownDocument } from './play.js';

/** Entry of the authority's wire log. */
interface WireLogEntry {
  readonly number: string;
  readonly type: string;
  readonly uuid: string;
}

/** Checks the guarantees at the end of a case and describes each violation. */
export async function findProblems(play: Play): Promise<string[]> {
  const problems = [
    ...(await documentProblems(play)),
    ...(await findDeliveryProblems((text) => play.stage.owner.query(text).then(({ rows }) => rows))),
    ...(await creditProblems(play)),
    ...(await replayProblems(play)),
  ];
  if (!(await play.isQuiescent())) problems.push('something is in doubt or has no outcome');
  return problems;
}

/** Every acknowledged document has its expected outcome and reached the authority at most once. */
async function documentProblems(play: Play): Promise<string[]> {
  const wire = await readWireLog(play);
  const shown = await play.documents();
  const unexpected = (numbers: readonly string[]): string[] => numbers.filter((number) => !play.expected.has(number));
  return [
    ...unexpected(shown.map(({ referenceId }) => referenceId)).map((number) => `${number} is not of this case`),
    ...unexpected(wire.map(({ number }) => number)).map((number) => `the authority has ${number}, nobody else`),
    ...[...play.expected].flatMap(([referenceId, ends]) =>
      endProblems({ referenceId, ends, shown: shown.find((document) => document.referenceId === referenceId), wire }),
    ),
  ];
}

function endProblems({
  referenceId,
  ends,
  shown,
  wire,
}: {
  referenceId: string;
  ends: FinalStatus;
  shown: ShownDocument | undefined;
  wire: readonly WireLogEntry[];
}): string[] {
  if (shown === undefined) return [`${referenceId} is lost`];
  const arrived = wire.filter(({ number }) => number === referenceId);
  const status = shown.authorityStatus ?? shown.submissionStatus;
  const uuid = arrived[0]?.uuid ?? null;
  return broken([
    [arrived.length === (ends === 'SubmitFailed' ? 0 : 1), `the authority has ${referenceId} ${arrived.length} times`],
    [status === ends, `${referenceId} is ${status}, not ${ends}`],
    [shown.authorityUuid === uuid, `${referenceId} is ${shown.authorityUuid} here and ${uuid} at the authority`],
  ]);
}

function broken(rules: readonly (readonly [isKept: boolean, problem: string])[]): string[] {
  return rules.filter(([isKept]) => !isKept).map(([, problem]) => problem);
}

async function readWireLog(play: Play): Promise<WireLogEntry[]> {
  const response = await fetch(`${play.stage.simulator.url}/_control/wire-log?after=0`);
  return (await response.json()) as WireLogEntry[];
}

/** Every acknowledged call has one charge, of one credit per document or cancellation, and the ledger balances. */
async function creditProblems(play: Play): Promise<string[]> {
  // Excludes documents of other organisations, which a scenario may insert.
  const { rows } = await play.stage.owner.query<Record<string, number>>(
    `SELECT (SELECT balance FROM credit_account) AS balance,
           (SELECT sum(amount)::int FROM credit_entry) AS entries,
           (SELECT sum(remaining)::int FROM credit_lot) AS lots,
           (SELECT count(*)::int FROM credit_entry WHERE kind <> 'grant') AS charges,
           (SELECT count(*)::int FROM document_transaction WHERE tenant_id = $1) AS documents,
           (SELECT count(*)::int FROM document_cancellation) AS cancellations`,
    [play.tenant.tenantId],
  );
  const { balance, entries, lots, charges, documents, cancellations } = rows[0];
  // Replays of a call share its key.
  const keys = (path: string): Set<string> =>
    new Set(play.acknowledged.filter(({ call }) => call.path.endsWith(path)).map(({ call }) => call.key));
  const cancels = keys('/cancel').size;
  const cost = play.expected.size + cancels;
  const calls = keys('').size;
  return broken([
    [
      balance === entries && balance === lots,
      `the balance is ${balance}, the entries say ${entries}, the lots ${lots}`,
    ],
    [charges === calls, `${charges} charges for ${calls} acknowledged calls`],
    [documents === play.expected.size, `${documents} documents are stored, not ${play.expected.size}`],
    [cancellations === cancels, `${cancellations} cancellations are stored, not ${cancels}`],
    [balance === play.creditsGranted - cost, `${play.creditsGranted - balance} credits were charged, not ${cost}`],
  ]);
}

/** A repeated call returns the same bytes. */
async function replayProblems(play: Play): Promise<string[]> {
  const problems: string[] = [];
  for (const { call, answer } of play.acknowledged) {
    const again = await retryUntilAnswered(play.stage.api.url, play.tenant, call);
    if (!again.isReplayed || again.status !== answer.status || again.text !== answer.text) {
      problems.push(`the response under key ${call.key} was ${answer.text}, and is ${again.text}`);
    }
  }
  return problems;
}

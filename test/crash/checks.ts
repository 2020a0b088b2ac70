import { untilAnswered } from './client.js';
import type { Play } from './play.js';

/** Every document that the authority took, counted on what came over the wire. */
interface WireLogEntry {
  readonly number: string;
  readonly type: string;
  readonly uuid: string;
}

/** What must hold at the end of every case; gives a sentence for each thing that does not. */
export async function problemsOf(play: Play): Promise<string[]> {
  const problems = [
    ...(await documentProblems(play)),
    ...(await creditProblems(play)),
    ...(await replayProblems(play)),
  ];
  if (!(await play.isAtRest())) problems.push('something is in doubt or not ended');
  return problems;
}

/** Every acknowledged document has the end that it must have, and is at the authority once when it was sent at all. */
async function documentProblems(play: Play): Promise<string[]> {
  const problems: string[] = [];
  const wire = await wireLogOf(play);
  const shown = await play.documents();
  const acknowledged = new Set(shown.map(({ referenceId }) => referenceId));
  for (const { referenceId } of shown) {
    if (!play.expected.has(referenceId)) problems.push(`${referenceId} is not of this case`);
  }
  for (const [referenceId, ends] of play.expected) {
    if (!acknowledged.has(referenceId)) problems.push(`${referenceId} is lost`);
    const arrived = wire.filter(({ number }) => number === referenceId);
    const times = ends === 'SubmitFailed' ? 0 : 1;
    if (arrived.length !== times) problems.push(`${referenceId} is at the authority ${arrived.length} times`);
    for (const document of shown.filter((one) => one.referenceId === referenceId)) {
      const status = document.authorityStatus ?? document.submissionStatus;
      if (status !== ends) problems.push(`${referenceId} is ${status}, not ${ends}`);
      const uuid = arrived[0]?.uuid ?? null;
      if (document.authorityUuid !== uuid) problems.push(`${referenceId} is ${uuid} at the authority, not ours`);
    }
  }
  for (const { number } of wire) {
    if (!play.expected.has(number)) problems.push(`${number} is at the authority and was never acknowledged`);
  }
  return problems;
}

async function wireLogOf(play: Play): Promise<WireLogEntry[]> {
  const answer = await fetch(`${play.stage.simulator.url}/_control/wire-log?after=0`);
  return (await answer.json()) as WireLogEntry[];
}

/** One charge for each acknowledged call, of one credit for each document or cancellation, and books that balance. */
async function creditProblems(play: Play): Promise<string[]> {
  const { rows } = await play.stage.owner.query<Record<string, number>>(`
    SELECT (SELECT balance FROM credit_account) AS balance,
           (SELECT sum(amount)::int FROM credit_entry) AS entries,
           (SELECT sum(remaining)::int FROM credit_lot) AS lots,
           (SELECT count(*)::int FROM credit_entry WHERE kind <> 'grant') AS charges,
           (SELECT count(*)::int FROM document_transaction) AS documents,
           (SELECT count(*)::int FROM document_cancellation) AS cancellations`);
  const { balance, entries, lots, charges, documents, cancellations } = rows[0];
  // A replayed call is the same acceptance once more.
  const calls = new Set(play.acknowledged.map(({ call }) => call.key)).size;
  const cancels = new Set(
    play.acknowledged.filter(({ call }) => call.path.endsWith('/cancel')).map(({ call }) => call.key),
  ).size;
  const problems: string[] = [];
  const must = (isSo: boolean, problem: string): void => {
    if (!isSo) problems.push(problem);
  };
  must(balance === entries && balance === lots, `the balance is ${balance}, the entries ${entries}, the lots ${lots}`);
  must(charges === calls, `${charges} charges for ${calls} acknowledged calls`);
  must(documents === play.expected.size, `${documents} documents are stored, not ${play.expected.size}`);
  must(cancellations === cancels, `${cancellations} cancellations are stored, not ${cancels}`);
  const cost = play.expected.size + cancels;
  must(balance === play.creditsGranted - cost, `${play.creditsGranted - balance} credits were charged, not ${cost}`);
  return problems;
}

/** The same call again gets the same bytes. */
async function replayProblems(play: Play): Promise<string[]> {
  const problems: string[] = [];
  for (const { call, answer } of play.acknowledged) {
    const again = await untilAnswered(play.stage.api.url, play.tenant, call);
    if (!again.isReplayed || again.status !== answer.status || again.text !== answer.text) {
      problems.push(`the answer under key ${call.key} was ${answer.text}, and is ${again.text}`);
    }
  }
  return problems;
}

import { RECORDERS } from '../support/event-recorder.js';
import { CHECKS, type Finding } from './checks/evidence.js';
import { asLine, countFindings } from './checks/verdict.js';
import type { ChaosRun } from './run.js';

const FINDINGS_SHOWN = 40;
const KILLS = ['kill', 'kill-postgres'];

/** Formats the result of a run for the terminal. */
export function asText(run: ChaosRun): string {
  const { findings, wireDocuments } = run.verdict;
  const { documents, seed } = run.options;
  const kills = KILLS.reduce((sum, kind) => sum + (run.faults[kind] ?? 0), 0);
  const calls = Object.entries(run.callCounts).filter(([, counts]) => counts.calls > 0);
  const faults = Object.entries(run.faults).map(([fault, count]) => `${fault} ${count}`);
  const counts = countFindings(findings);
  const failed = CHECKS.filter((check) => counts[check] > 0);
  return [
    `seed ${seed}, ${documents} documents asked for, ${run.documents} acknowledged to ${run.tenants} tenants in ${run.calls} calls`,
    `${kills} kills; faults: ${faults.join(', ')}`,
    `${wireDocuments} documents accepted by the authority; ${run.doubts.resent} calls sent again, ${run.doubts.adopted} documents adopted`,
    `${run.deliveries.delivered} document events handled by ${RECORDERS.length} consumers; ${run.deliveries.failedAttempts} attempts failed, ${run.deliveries.deadLetters} dead letters retried`,
    `calls at the authority (most in a minute): ${calls.map(([api, counts]) => `${api} ${counts.calls} (${counts.busiestMinute})`).join(', ')}`,
    `${Math.round(run.seconds)} s in all, ${run.quietSeconds === null ? 'never' : `${Math.round(run.quietSeconds)} s`} until everything had its outcome`,
    ...findings.slice(0, FINDINGS_SHOWN).map(findingText),
    ...(findings.length > FINDINGS_SHOWN ? [`… and ${findings.length - FINDINGS_SHOWN} more`] : []),
    asLine(findings),
    `${CHECKS.length - failed.length} passed, ${failed.length} failed`,
  ].join('\n');
}

export function findingText({ check, what, ids }: Finding): string {
  const named = Object.entries(ids).map(([name, id]) => `${name} ${id}`);
  return `${check}: ${what} (${named.join(', ')})`;
}

export function asJson(run: ChaosRun): string {
  return `${JSON.stringify({ ...run, counts: countFindings(run.verdict.findings) }, null, 2)}\n`;
}

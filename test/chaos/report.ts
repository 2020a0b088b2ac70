import { CHECKS, type Finding } from './checks/evidence.js';
import { asLine, countFindings } from './checks/verdict.js';
import type { ChaosRun } from './run.js';

const FINDINGS_SHOWN = 40;

/** What a run says on the terminal: the figures, every finding by its ids, and the line that must be all zeros. */
export function asText(run: ChaosRun): string {
  const { findings, wireDocuments } = run.verdict;
  const { documents, kills, seed } = run.options;
  const faults = Object.entries(run.faults).map(([fault, count]) => `${fault} ${count}`);
  const counts = countFindings(findings);
  const failed = CHECKS.filter((check) => counts[check] > 0);
  return [
    `seed ${seed}, ${documents} documents asked for, ${run.documents} acknowledged to ${run.tenants} tenants in ${run.calls} calls`,
    `${kills} kills; faults: ${faults.join(', ')}`,
    `${wireDocuments} documents accepted by the authority; ${run.doubts.resent} calls sent again, ${run.doubts.adopted} documents adopted`,
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

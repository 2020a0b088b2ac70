import { FAILPOINT_MODES } from '../../src/common/failpoints/failpoints.js';
import { type CaseResult, getFailpoint } from './run-case.js';

/** Formats a table of the failpoints and modes, the problems and the totals. A report without results is not passed. */
export function buildReport(results: readonly CaseResult[], seconds: number): { text: string; isPassed: boolean } {
  const names = [...new Set(results.map((result) => getFailpoint(result.case)))].toSorted();
  const width = Math.max(...names.map((name) => name.length), 'failpoint'.length) + 2;
  const rows = names.map((name) => {
    const cells = FAILPOINT_MODES.map((mode) =>
      formatCell(results.find((result) => getFailpoint(result.case) === name && result.case.mode === mode)),
    );
    return name.padEnd(width) + cells.map((cell) => cell.padEnd(10)).join('');
  });
  const head = 'failpoint'.padEnd(width) + FAILPOINT_MODES.map((mode) => mode.padEnd(10)).join('');
  const failed = results.filter(({ problems }) => problems.length > 0);
  const failures = failed.map(
    (result) => `FAILED ${getFailpoint(result.case)}:${result.case.mode}\n  - ${result.problems.join('\n  - ')}`,
  );
  const retries = results.map(({ retryMs }) => retryMs).filter((ms) => ms !== null);
  const slowest = retries.length === 0 ? [] : [`slowest retry ${Math.round(Math.max(...retries))} ms`];
  const sum = `${results.length - failed.length} passed, ${failed.length} failed`;
  const lines = [head, ...rows, '', ...failures, ...slowest, `${Math.round(seconds)} s`, sum];
  return { text: lines.map((line) => line.trimEnd()).join('\n'), isPassed: failed.length === 0 && results.length > 0 };
}

/** Formats one result as a progress line. */
export function formatProgress(result: CaseResult, played: number, all: number): string {
  const line = `${played}/${all} ${getFailpoint(result.case)}:${result.case.mode} ${formatCell(result)}`;
  return [line, ...result.problems].join('\n  - ');
}

function formatCell(result: CaseResult | undefined): string {
  if (result === undefined) return '';
  return result.problems.length > 0 ? 'FAILED' : `${result.seconds.toFixed(1)} s`;
}

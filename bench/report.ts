import { cpus } from 'node:os';
import type { BuildingFigures } from './measure/building.js';
import type { ListFigures } from './measure/dashboard-list.js';
import type { QueueToValid } from './measure/queue-to-valid.js';
import type { StatementCount } from './measure/statements.js';
import { type ContestResult, growth, type SideResult } from './measure/rounds.js';
import type { BenchmarkName, Options } from './options.js';

/** Those that are the service against something else. */
export type ContestName = Exclude<BenchmarkName, 'queue-to-valid' | 'dashboard-list'>;

export interface BenchmarkResult {
  readonly name: ContestName;
  /** What is counted, and how many of it one request carries. */
  readonly unit: 'documents' | 'reads';
  /** What the service is held against. */
  readonly against: 'floor' | 'pg-boss' | 'graphile-worker' | 'no snapshot';
  readonly unitsPerRequest: number;
  readonly sizes: readonly ContestResult[];
}

export interface Results {
  readonly benchmarks: readonly BenchmarkResult[];
  /** Null when it was not asked for. */
  readonly queueToValid: QueueToValid | null;
  /** The same. */
  readonly dashboardList: ListFigures | null;
  readonly building: BuildingFigures;
  readonly statements: readonly StatementCount[];
  /** The most that any API process held; null where the system does not tell. */
  readonly peakResidentMebibytes: number | null;
}

/** What the project asks of itself (docs/performance.md). */
const RATIO_MIN: Record<ContestName, number> = {
  'accept-batch': 0.4,
  'accept-single': 0.4,
  status: 0.5,
  'queue-batch': 1,
  'queue-batch-built': 1,
  'queue-single': 3,
  'queue-snapshot': 0.8,
};
const QUEUE_TO_VALID_PER_SECOND_MIN = 1_000;
const GROWTH_MAX = 1.2;
const LIST_RATIO_MAX = 1.2;
const RESIDENT_MEBIBYTES_MAX = 250;
const BUILD_BATCH_MS_MAX = 10;
const SIGN_DOCUMENT_MS_MAX = 1;

export function asJson(results: Results, options: Options): string {
  const benchmarks = results.benchmarks.map((benchmark) => ({ ...benchmark, growth: growths(benchmark) }));
  const machine = { processors: cpus().length, model: cpus()[0]?.model, node: process.version };
  return `${JSON.stringify({ machine, options, ...results, benchmarks }, null, 2)}\n`;
}

export function asText(results: Results): string {
  const rows = results.benchmarks.flatMap((benchmark) => benchmark.sizes.flatMap((size) => rowsOf(benchmark, size)));
  const header = ['benchmark', 'stored', 'side', 'per second', 'p50 ms', 'p99 ms', 'ratio', 'least', 'in rounds'];
  return [table([header, ...rows]), '', ...listLines(results), ...verdicts(results)].join('\n');
}

function listLines({ dashboardList }: Results): string[] {
  if (dashboardList === null) return [];
  const { documents, referenceMs, pages } = dashboardList;
  const rows = pages.map(({ list, page, milliseconds, ratio, scanned }) => [
    list === '' ? '(no filter)' : list,
    page,
    milliseconds.toFixed(2),
    ratio.toFixed(2),
    scanned.length === 0 ? 'none' : scanned.join(' '),
  ]);
  const most = Math.max(...pages.map(({ ratio }) => ratio));
  return [
    `The dashboard's lists at ${documents} documents; the first page of 1,000 takes ${referenceMs.toFixed(2)} ms:`,
    table([['list', 'page', 'p50 ms', 'ratio', 'tables scanned'], ...rows]),
    `the most is ${most.toFixed(2)} (at most ${LIST_RATIO_MAX})`,
    '',
  ];
}

function rowsOf(benchmark: BenchmarkResult, contest: ContestResult): string[][] {
  const { name, unit, unitsPerRequest } = benchmark;
  const figures = (side: SideResult): string[] => [
    `${Math.round(side.requestsPerSecond * unitsPerRequest)} ${unit}`,
    side.p50Ms.toFixed(1),
    side.p99Ms.toFixed(1),
  ];
  const ratios = [
    contest.ratio.toFixed(2),
    String(RATIO_MIN[name]),
    contest.ratios.map((one) => one.toFixed(2)).join(' '),
  ];
  return [
    [name, String(contest.size), 'service', ...figures(contest.service), ...ratios],
    ['', '', benchmark.against, ...figures(contest.floor), '', '', ''],
  ];
}

function verdicts({ benchmarks, queueToValid, building, statements, peakResidentMebibytes }: Results): string[] {
  const lines = benchmarks.flatMap((benchmark) =>
    growths(benchmark).map(
      ({ from, to, times }) =>
        `${benchmark.name}: a request takes ${times.toFixed(2)} times as long at ${to} documents as at ${from} (at most ${GROWTH_MAX})`,
    ),
  );
  if (queueToValid !== null) {
    const { documents, documentsPerSecond, cpuSeconds } = queueToValid;
    const shares = Object.entries(cpuSeconds).map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`);
    lines.push(
      `queue to Valid: ${Math.round(documentsPerSecond)} documents a second (at least ${QUEUE_TO_VALID_PER_SECOND_MIN}) of ${documents}; seconds of CPU: ${shares.join(', ')}`,
    );
  }
  for (const { documents, service, floor } of statements) {
    lines.push(`statements of a submit of ${documents}: ${service}, floor ${floor}`);
  }
  const { buildBatchMs, signDocumentMs } = building;
  lines.push(
    `building and totalling 100 documents of 5 lines: ${buildBatchMs.toFixed(1)} ms of CPU (at most ${BUILD_BATCH_MS_MAX})`,
    `signing a document: ${signDocumentMs.toFixed(2)} ms of CPU (at most ${SIGN_DOCUMENT_MS_MAX})`,
  );
  const memory = peakResidentMebibytes === null ? 'not told' : `${Math.round(peakResidentMebibytes)} MiB`;
  lines.push(`peak resident memory of the API: ${memory} (at most ${RESIDENT_MEBIBYTES_MAX})`);
  return lines;
}

/** Of every size, from the first. */
function growths({ sizes }: BenchmarkResult): { from: number; to: number; times: number }[] {
  const [first, ...others] = sizes;
  return others.map((other) => ({ from: first.size, to: other.size, times: growth(first, other) }));
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

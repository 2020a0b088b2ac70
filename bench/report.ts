import type { ListFigures } from './measure/dashboard-list.js';
import type { PairResult } from './measure/pairs.js';
import type { QueueToValid } from './measure/queue-to-valid.js';
import { type ContestResult, growth, type SideResult } from './measure/rounds.js';
import type { Spread } from './measure/statistics.js';
import type { ComparedName, HTTP_BENCHMARKS, QUEUE_BENCHMARKS } from './options.js';
import type { Figure } from './run-parts.js';

/** Those that are the service against something else. */
type ContestName = (typeof HTTP_BENCHMARKS)[number] | (typeof QUEUE_BENCHMARKS)[number];

interface Counted {
  /** What is counted, and how many of it one request carries. */
  readonly unit: 'documents' | 'reads';
  readonly unitsPerRequest: number;
}

export interface BenchmarkResult extends Counted {
  readonly name: ContestName;
  /** What the service is held against. */
  readonly against: 'floor' | 'pg-boss' | 'graphile-worker';
  readonly sizes: readonly ContestResult[];
}

/** One benchmark of two builds. */
export interface BuildsResult extends Counted {
  readonly name: ComparedName;
  readonly sizes: readonly PairResult[];
}

/** What the project asks of itself (docs/performance.md). */
const TARGETS = {
  ratioMin: {
    'accept-batch': 0.4,
    'accept-single': 0.4,
    status: 0.5,
    'queue-batch': 1,
    'queue-batch-built': 1,
    'queue-single': 3,
  } satisfies Record<ContestName, number>,
  queueToValidPerSecondMin: 1_000,
  /** Of a process for 1,000 documents. */
  cpuMsMax: { dispatcher: 400, simulator: 400 } as Readonly<Record<string, number | undefined>>,
  growthMax: 1.2,
  listRatioMax: 1.2,
  overviewMsMax: 10,
  residentMebibytesMax: 250,
} as const;
// From seconds of one document to milliseconds of 1,000.
const MILLION = 1_000_000;
/** What a change may cost: the least ratio to the build that it is compared with. */
const BUILD_RATIO_MIN = 0.97;

/**
 * @param peakResidentMebibytes the most that any API process held so far; null where no API works or the system does
 * not tell
 */
export function contestFigure(result: BenchmarkResult, peakResidentMebibytes: number | null): Figure {
  const header = ['benchmark', 'stored', 'side', 'per second', 'p50 ms', 'p99 ms', 'ratio', 'least', 'in rounds'];
  const grown = growths(result).map(
    ({ from, to, times }) =>
      `${result.name}: a request takes ${times.toFixed(2)} times as long at ${to} documents as at ${from} (at most ${TARGETS.growthMax})`,
  );
  const memory = `peak resident memory of the API so far: ${Math.round(peakResidentMebibytes ?? 0)} MiB (at most ${TARGETS.residentMebibytesMax})`;
  return {
    text: [
      table([header, ...result.sizes.flatMap((size) => toRows(result, size))]),
      ...grown,
      ...(peakResidentMebibytes === null ? [] : [memory]),
    ].join('\n'),
    json: { ...result, growth: growths(result), peakResidentMebibytes },
  };
}

export function pairsFigure(result: BuildsResult): Figure {
  const { name, unit, unitsPerRequest, sizes } = result;
  const perSecond = (requests: number): string => String(Math.round(requests * unitsPerRequest));
  const rows = sizes.flatMap(({ size, currentPerSecond, otherPerSecond, rate, cpu, rounds }) => [
    [
      name,
      size === 0 ? '' : String(size),
      `${unit} a second`,
      perSecond(currentPerSecond),
      perSecond(otherPerSecond),
      ...spreadCells(rate),
      String(BUILD_RATIO_MIN),
      String(rounds.length),
    ],
    ['', '', `${unit} a CPU second`, '', '', ...(cpu === null ? ['not told'] : spreadCells(cpu))],
  ]);
  const header = ['benchmark', 'stored', '', 'this', 'other', 'ratio', '95 % interval', 'in rounds', 'least', 'rounds'];
  return { text: table([header, ...rows]), json: result };
}

function spreadCells({ median, interval, least, most }: Spread): string[] {
  const range = (from: number, to: number): string => `${from.toFixed(3)} to ${to.toFixed(3)}`;
  return [median.toFixed(3), interval === null ? 'too few rounds' : range(...interval), range(least, most)];
}

export function listFigure(figures: ListFigures): Figure {
  const { documents, referenceMs, overviewMs, pages } = figures;
  const rows = pages.map(({ list, page, milliseconds, ratio, p95Ratio, scanned }) => [
    list === '' ? '(no filter)' : list,
    page,
    milliseconds.toFixed(2),
    ratio.toFixed(2),
    p95Ratio.toFixed(2),
    scanned.length === 0 ? 'none' : scanned.join(' '),
  ]);
  const findMost = (looksFar: boolean): string =>
    Math.max(...pages.filter((page) => page.looksFar === looksFar).map(({ p95Ratio }) => p95Ratio)).toFixed(2);
  const text = [
    `The dashboard's lists at ${documents} documents; the first page of 1,000 takes ${referenceMs.toFixed(2)} ms:`,
    table([['list', 'page', 'p50 ms', 'ratio', 'of p95', 'tables scanned'], ...rows]),
    `the most of p95 is ${findMost(false)} (at most ${TARGETS.listRatioMax}); of what looks at up to 2,000 rows ${findMost(true)}`,
    `the overview of 90 days takes ${overviewMs.toFixed(1)} ms (at most ${TARGETS.overviewMsMax})`,
  ].join('\n');
  return { text, json: figures };
}

export function toValidFigure(figures: QueueToValid): Figure {
  const { documents, seconds } = figures;
  const documentsPerSecond = documents / seconds;
  return {
    text: [
      `queue to Valid: ${Math.round(documentsPerSecond)} documents a second (at least ${TARGETS.queueToValidPerSecondMin}) of ${documents}`,
      `milliseconds of CPU for 1,000 of them: ${describeCpu(figures)}`,
    ].join('\n'),
    json: { ...figures, documentsPerSecond },
  };
}

/** Milliseconds of CPU for 1,000 documents, by process. */
function describeCpu({ documents, cpuSeconds }: QueueToValid): string {
  const spent = Object.entries(cpuSeconds).map(([name, seconds]) => {
    const most = TARGETS.cpuMsMax[name] === undefined ? '' : ` (at most ${TARGETS.cpuMsMax[name]})`;
    return `${name} ${Math.round((seconds * MILLION) / documents)}${most}`;
  });
  return spent.join(', ');
}

function toRows(benchmark: BenchmarkResult, contest: ContestResult): string[][] {
  const { name, unit, unitsPerRequest } = benchmark;
  const figures = (side: SideResult): string[] => [
    `${Math.round(side.requestsPerSecond * unitsPerRequest)} ${unit}`,
    side.p50Ms.toFixed(1),
    side.p99Ms.toFixed(1),
  ];
  const ratios = [
    contest.ratio.toFixed(2),
    String(TARGETS.ratioMin[name]),
    contest.ratios.map((one) => one.toFixed(2)).join(' '),
  ];
  return [
    [name, String(contest.size), 'service', ...figures(contest.service), ...ratios],
    ['', '', benchmark.against, ...figures(contest.floor), '', '', ''],
  ];
}

/** Of every size, from the first. */
function growths({ sizes }: BenchmarkResult): { from: number; to: number; times: number }[] {
  const [first, ...others] = sizes;
  return others.map((other) => ({ from: first.size, to: other.size, times: growth(first, other) }));
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

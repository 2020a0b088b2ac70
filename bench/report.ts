import type { ListFigures } from './measure/dashboard-list.js';
import type { PairResult } from './measure/pairs.js';
import type { QueueToValid } from './measure/queue-to-valid.js';
import { median, type Spread } from './measure/statistics.js';
import type { BenchmarkName } from './options.js';
import type { Figure } from './run-parts.js';

/** Result of a benchmark that compares two sides. */
export interface BenchmarkResult {
  readonly name: BenchmarkName;
  /** Name of the other side. */
  readonly against: string;
  /** Number of documents or status reads per request. */
  readonly unitsPerRequest: number;
  readonly sizes: readonly PairResult[];
}

/** Targets of the project (docs/performance.md). */
const TARGETS = {
  ratioMin: { 'accept-batch': 0.4, 'accept-single': 0.4, status: 0.5, 'queue-batch': 1, 'queue-single': 3 } as Partial<
    Record<BenchmarkName, number>
  >,
  /** Minimum ratio between a change and the build without it. */
  buildRatioMin: 0.97,
  queueToValidPerSecondMin: 1_000,
  /** CPU time per 1,000 documents. */
  cpuMsMax: { dispatcher: 400, simulator: 400 } as Readonly<Record<string, number | undefined>>,
  growthMax: 1.2,
  listRatioMax: 1.2,
  overviewMsMax: 10,
  residentMebibytesMax: 250,
} as const;
/** Converts seconds per document to milliseconds per 1,000 documents. */
const MILLION = 1_000_000;

/** @param peakMebibytes peak memory of the API processes; NaN if none was measured */
export function pairsFigure(result: BenchmarkResult, peakMebibytes: number): Figure {
  const { name, against, sizes } = result;
  const header = ['benchmark', 'stored', 'median', 'service', against, 'ratio', '95 % interval', 'in rounds', 'least'];
  const [first, ...larger] = sizes;
  const growth = larger.map(({ size, currentPerSecond }) => {
    const times = (first.currentPerSecond / currentPerSecond).toFixed(2);
    return `${name}: a request takes ${times} times as long at ${size} documents as at ${first.size} (at most ${TARGETS.growthMax})`;
  });
  const memory = `peak resident memory of the API: ${Math.round(peakMebibytes)} MiB (at most ${TARGETS.residentMebibytesMax})`;
  return {
    text: [
      table([header, ...sizes.flatMap((size) => toRows(result, size))]),
      ...growth,
      ...(Number.isNaN(peakMebibytes) ? [] : [memory]),
    ].join('\n'),
    json: { ...result, peakMebibytes },
  };
}

function toRows({ name, against, unitsPerRequest }: BenchmarkResult, result: PairResult): string[][] {
  const { size, currentPerSecond, otherPerSecond, rate, cpu, rounds } = result;
  const unit = name === 'status' ? 'reads' : 'documents';
  const perSecond = (requests: number): string => String(Math.round(requests * unitsPerRequest));
  const least = against === 'other build' ? TARGETS.buildRatioMin : TARGETS.ratioMin[name];
  const latency = (side: 'current' | 'other', figure: 'p50Ms' | 'p99Ms'): string =>
    median(rounds.map((round) => round[side][figure] ?? Number.NaN)).toFixed(1);
  return [
    [
      name,
      size === 0 ? '' : String(size),
      `${unit}/s`,
      perSecond(currentPerSecond),
      perSecond(otherPerSecond),
      ...spreadCells(rate),
      String(least),
    ],
    ['', '', `${unit}/CPU s`, '', '', ...(cpu === null ? ['unknown'] : spreadCells(cpu))],
    // queue-to-valid does not measure individual requests.
    ...(name === 'queue-to-valid'
      ? []
      : [
          ['', '', 'p50 ms', latency('current', 'p50Ms'), latency('other', 'p50Ms')],
          ['', '', 'p99 ms', latency('current', 'p99Ms'), latency('other', 'p99Ms')],
        ]),
  ];
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
    `the highest p95 ratio is ${findMost(false)} (at most ${TARGETS.listRatioMax}); of searches that read up to 2,000 rows ${findMost(true)}`,
    `the overview of 90 days takes ${overviewMs.toFixed(1)} ms (at most ${TARGETS.overviewMsMax})`,
  ].join('\n');
  return { text, json: figures };
}

export function toValidFigure(figures: QueueToValid): Figure {
  const { documents, seconds } = figures;
  const documentsPerSecond = documents / seconds;
  return {
    text: [
      `queue to Valid: ${Math.round(documentsPerSecond)} documents per second (at least ${TARGETS.queueToValidPerSecondMin}) of ${documents}`,
      `CPU milliseconds per 1,000 documents: ${describeCpu(figures)}`,
    ].join('\n'),
    json: { ...figures, documentsPerSecond },
  };
}

function describeCpu({ documents, cpuSeconds }: QueueToValid): string {
  const spent = Object.entries(cpuSeconds).map(([name, seconds]) => {
    const most = TARGETS.cpuMsMax[name] === undefined ? '' : ` (at most ${TARGETS.cpuMsMax[name]})`;
    return `${name} ${Math.round((seconds * MILLION) / documents)}${most}`;
  });
  return spent.join(', ');
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

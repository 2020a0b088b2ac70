import type { Machine } from './machine.js';
import { describeNoise } from './machine.js';
import type { BuildingFigures } from './measure/building.js';
import type { ListFigures } from './measure/dashboard-list.js';
import type { QueueToValid } from './measure/queue-to-valid.js';
import type { StatementCount } from './measure/statements.js';
import { type BenchmarkName, BENCHMARKS, type Options } from './options.js';
import { type BenchmarkResult, type ContestName, describeCpu, TARGETS } from './report.js';

/** What `--json` writes of a run against floors. */
export interface BenchFile {
  readonly machine: Machine;
  readonly options: Pick<Options, 'rounds' | 'seconds' | 'connections'>;
  readonly figures: Readonly<Partial<Record<BenchmarkName, object>>>;
}

interface ContestFigure extends BenchmarkResult {
  readonly growth: readonly { readonly from: number; readonly to: number; readonly times: number }[];
  readonly peakResidentMebibytes: number | null;
}

/** The figures of a run as a list for docs/performance.md: machine and commit, then a line for each benchmark. */
export function writeFigures({ machine, options, figures }: BenchFile): string {
  const { processors, model, node, commit, date, quiet } = machine;
  const noise = describeNoise(quiet);
  const origin = [
    `Commit \`${commit ?? 'unknown'}\`, ${date.slice(0, 10)}: ${processors} processors (${model ?? 'unknown'}), Node ${node},`,
    `PostgreSQL 18, ${options.connections} clients, ${options.rounds} rounds of ${options.seconds} s.`,
    ...(noise === null ? [] : [`**${noise}**`]),
  ];
  const lines = BENCHMARKS.map((name) => `- \`${name}\`${describeFigure(name, figures[name])}`);
  return `${origin.join(' ')}\n\n${[...lines, ...describeMemory(figures)].join('\n')}`;
}

/** Of the benchmarks that are no contest. */
const DESCRIPTIONS: Readonly<Partial<Record<BenchmarkName, (figure: never) => string>>> = {
  statements: describeStatements,
  'queue-to-valid': describeToValid,
  'dashboard-list': describeList,
  building: describeBuilding,
};

function describeFigure(name: BenchmarkName, figure: object | undefined): string {
  if (figure === undefined) return ': not measured';
  return DESCRIPTIONS[name]?.(figure as never) ?? describeContest(name as ContestName, figure as ContestFigure);
}

function describeContest(name: ContestName, { unit, unitsPerRequest, against, sizes, growth }: ContestFigure): string {
  const [{ service, floor, ratio }] = sizes;
  const rate = (requestsPerSecond: number): string => group(requestsPerSecond * unitsPerRequest);
  const grown = growth.map(({ to, times }) => `; ${times.toFixed(2)} times as long at ${group(to)}`);
  return (
    `: ${rate(service.requestsPerSecond)} ${unit}/s, ${against} ${rate(floor.requestsPerSecond)}: ` +
    `ratio ${ratio.toFixed(2)} (**${TARGETS.ratioMin[name]}**)${grown.join('')}`
  );
}

function describeStatements(counts: readonly StatementCount[]): string {
  return `: ${counts.map(({ documents, service, floor }) => `a submit of ${documents}: ${service}, floor ${floor}`).join('; ')}`;
}

function describeToValid(figures: QueueToValid & { readonly documentsPerSecond: number }): string {
  const rate = `${group(figures.documentsPerSecond)} documents/s (**${group(TARGETS.queueToValidPerSecondMin)}**)`;
  return `: ${rate}; milliseconds of CPU for 1,000: ${describeCpu(figures)}`;
}

function describeList({ documents, overviewMs, pages }: ListFigures): string {
  const near = pages.filter(({ p95Ratio }) => p95Ratio <= TARGETS.listRatioMax);
  const most = Math.max(...pages.map(({ p95Ratio }) => p95Ratio));
  return (
    `: ${near.length} of ${pages.length} pages of ${group(documents)} documents take (p95) at most ` +
    `**${TARGETS.listRatioMax}** times the first page of 1,000, the slowest ${most.toFixed(2)} times; ` +
    `the overview of 90 days ${overviewMs.toFixed(1)} ms (**${TARGETS.overviewMsMax}**)`
  );
}

function describeBuilding({ buildBatchMs, signDocumentMs }: BuildingFigures): string {
  return (
    `: 100 documents of 5 lines take ${buildBatchMs.toFixed(1)} ms of CPU (**${TARGETS.buildBatchMsMax}**), one ` +
    `signature ${signDocumentMs.toFixed(2)} ms (**${TARGETS.signDocumentMsMax}**)`
  );
}

function describeMemory(figures: BenchFile['figures']): string[] {
  const peaks = Object.values(figures).map((figure) => (figure as Partial<ContestFigure>).peakResidentMebibytes ?? 0);
  const most = Math.max(0, ...peaks);
  return most === 0 ? [] : [`- peak memory of the API: ${group(most)} MiB (**${TARGETS.residentMebibytesMax}**)`];
}

function group(count: number): string {
  return Math.round(count).toLocaleString('en');
}

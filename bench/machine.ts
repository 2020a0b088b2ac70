import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { REPOSITORY } from '../test/support/program.js';
import { readCpuSeconds, TICKS_PER_SECOND } from './processes/cpu-time.js';

/** Machine of the measurement, and whether other programs disturbed it. */
export interface Machine {
  readonly processors: number;
  readonly model: string | null;
  readonly node: string;
  /** Commit of the checkout, with `-dirty` if it has changes. Null without Git. */
  readonly commit: string | null;
  /** Start of the run in ISO 8601. */
  readonly date: string;
  readonly quiet: Quietness;
}

export interface Quietness {
  readonly isQuiet: boolean;
  /** Load average of the minute before the run. */
  readonly loadBefore: number;
  /** Disturbance in the second before the run, or null if the system does not report it. */
  readonly before: Disturbance | null;
  readonly during: Disturbance | null;
}

/** Shares of the total CPU time. */
export interface Disturbance {
  readonly others: number;
  /** Share of CPU time that the host gave to other virtual machines. */
  readonly stolen: number;
}

/** Limits above which the machine affects the results as much as the service does. */
const LOAD_PER_PROCESSOR_MAX = 0.5;
const OTHERS_MAX = 0.05;
const STOLEN_MAX = 0.02;

const SAMPLE_MS = 1_000;

/** Observes the machine for a second and then continuously. @returns a function that reports the observations so far */
export async function watchMachine(): Promise<() => Promise<Machine>> {
  const [loadBefore] = loadavg();
  const earlier = await readMoment();
  await wait(SAMPLE_MS);
  const start = await readMoment();
  const date = new Date().toISOString();
  // Reads the commit first, because the run later writes its results into the checkout.
  const commit = readCommit();
  return async () => {
    const figures = { loadBefore, before: compare(earlier, start), during: compare(start, await readMoment()) };
    return {
      processors: cpus().length,
      model: cpus()[0]?.model ?? null,
      node: process.version,
      commit,
      date,
      quiet: { isQuiet: isQuiet(figures, cpus().length), ...figures },
    };
  };
}

/**
 * Returns whether only the benchmark uses the machine. The load average also reflects programs that ended minutes ago,
 * so it is used only if the system does not report the CPU time.
 */
export function isQuiet({ loadBefore, before, during }: Omit<Quietness, 'isQuiet'>, processors: number): boolean {
  const isDisturbed = [before, during].some(
    (one) => one !== null && (one.others > OTHERS_MAX || one.stolen > STOLEN_MAX),
  );
  const isLoaded = before === null && loadBefore > processors * LOAD_PER_PROCESSOR_MAX;
  return !isDisturbed && !isLoaded;
}

/** Describes the disturbance. Returns null if the machine is quiet. */
export function describeNoise({ isQuiet, loadBefore, before, during }: Quietness): string | null {
  if (isQuiet) return null;
  const parts = [`load ${loadBefore.toFixed(1)}`, ...describe('before', before), ...describe('during', during)];
  return `Not on a quiet machine: ${parts.join('; ')}`;
}

function describe(when: string, disturbance: Disturbance | null): string[] {
  if (disturbance === null) return [];
  return [
    `${when}, other programs used ${percent(disturbance.others)} and other virtual machines ${percent(disturbance.stolen)}`,
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** CPU ticks since the machine started, from the first line of /proc/stat. */
interface Ticks {
  readonly busy: number;
  readonly stolen: number;
  readonly all: number;
}

interface Moment {
  readonly ticks: Ticks;
  /** CPU seconds of this program and its child processes. */
  readonly ownSeconds: number;
}

export function parseTicks(stat: string): Ticks {
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, interrupts = 0, softInterrupts = 0, stolen = 0] = stat
    .split('\n', 1)[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + interrupts + softInterrupts;
  return { busy, stolen, all: busy + idle + ioWait + stolen };
}

/** Returns the share of CPU time that other programs and machines used between two moments. Null if unknown. */
export function compare(from: Moment | null, to: Moment | null): Disturbance | null {
  if (from === null || to === null) return null;
  const all = to.ticks.all - from.ticks.all;
  if (all === 0) return null;
  const own = (to.ownSeconds - from.ownSeconds) * TICKS_PER_SECOND;
  return {
    others: Math.max(0, to.ticks.busy - from.ticks.busy - own) / all,
    stolen: (to.ticks.stolen - from.ticks.stolen) / all,
  };
}

async function readMoment(): Promise<Moment | null> {
  const stat = await readFile('/proc/stat', 'utf8').catch(() => null);
  return stat === null ? null : { ticks: parseTicks(stat), ownSeconds: await readCpuSeconds(process.pid) };
}

function readCommit(): string | null {
  try {
    const described = ['describe', '--always', '--abbrev=12', '--exclude=*', '--dirty'];
    return execFileSync('git', described, {
      cwd: REPOSITORY,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

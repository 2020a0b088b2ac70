import { writeSync } from 'node:fs';
import { BOUNDARIES, type Boundary } from './boundaries.js';

const SIDES = ['before', 'after'] as const;
type Side = (typeof SIDES)[number];

/** `dispatch.after_claim` is the moment after the boundary `dispatch.claim`. */
export type Failpoint = `${string}.${Side}_${string}`;

const STANDARD_ERROR = 2;

/** What a process does at a failpoint. */
const ACTIONS = {
  /** Ends as by a power cut: nothing is closed, nothing is written. */
  kill: () => {
    process.kill(process.pid, 'SIGKILL');
    return hangForever();
  },
  /** Fails as by a bug in the next line. */
  throw: (failpoint: Failpoint) => Promise.reject(new Error(`Failpoint ${failpoint}`)),
  /** Never goes on; the process itself lives, and anyone who waits for it keeps waiting. */
  hang: () => hangForever(),
} as const;

export type FailpointMode = keyof typeof ACTIONS;
export const FAILPOINT_MODES = Object.keys(ACTIONS) as readonly FailpointMode[];
export type ArmedFailpoints = ReadonlyMap<Failpoint, FailpointMode>;

export function nameFailpoint(boundary: Boundary, side: Side): Failpoint {
  const [loop, step] = boundary.split('.');
  return `${loop}.${side}_${step}`;
}

/** Every failpoint that there is, both sides of every boundary. */
export const FAILPOINTS: readonly Failpoint[] = (Object.keys(BOUNDARIES) as Boundary[]).flatMap((boundary) =>
  SIDES.map((side) => nameFailpoint(boundary, side)),
);

// Of the process, as its death is; null in every process that serves.
let armed: Map<Failpoint, FailpointMode> | null = null;

/** Arms failpoints of this process, each for the first time that it is reached; none disarms. For its start only. */
export function armFailpoints(failpoints: ArmedFailpoints): void {
  armed = failpoints.size === 0 ? null : new Map(failpoints);
}

/**
 * Does a step between its two failpoints: the first before anything of it has happened, the second when it has happened
 * permanently. Anyone who opens a transaction or calls out does it here; a test finds those who do not.
 */
export function withFailpoints<T>(boundary: Boundary, step: () => Promise<T>): Promise<T> {
  return armed === null ? step() : runBetweenFailpoints(boundary, step);
}

async function runBetweenFailpoints<T>(boundary: Boundary, step: () => Promise<T>): Promise<T> {
  await reachFailpoint(nameFailpoint(boundary, 'before'));
  const result = await step();
  await reachFailpoint(nameFailpoint(boundary, 'after'));
  return result;
}

async function reachFailpoint(failpoint: Failpoint): Promise<void> {
  const mode = armed?.get(failpoint);
  if (mode === undefined) return;
  armed?.delete(failpoint);
  // Immediately and not through the logger, whose lines a killed process takes with it.
  writeSync(STANDARD_ERROR, `${formatHitLine(failpoint, mode)}\n`);
  await ACTIONS[mode](failpoint);
}

/** What a process writes to standard error when it reaches an armed failpoint. */
export function formatHitLine(failpoint: Failpoint, mode: FailpointMode): string {
  return `Failpoint ${failpoint} reached: ${mode}`;
}

function hangForever(): Promise<never> {
  return new Promise(() => undefined);
}

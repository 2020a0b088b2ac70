import { writeSync } from 'node:fs';
import { BOUNDARIES, type Boundary } from './boundaries.js';

const SIDES = ['before', 'after'] as const;
type Side = (typeof SIDES)[number];

export type Failpoint = `${string}.${Side}_${string}`;

const STANDARD_ERROR = 2;

const ACTIONS = {
  kill: () => {
    process.kill(process.pid, 'SIGKILL');
    return hangForever();
  },
  throw: (failpoint: Failpoint) => Promise.reject(new Error(`Failpoint ${failpoint}`)),
  /** Blocks the step forever while the process stays alive. */
  hang: () => hangForever(),
} as const;

export type FailpointMode = keyof typeof ACTIONS;
export const FAILPOINT_MODES = Object.keys(ACTIONS) as readonly FailpointMode[];
export type ArmedFailpoints = ReadonlyMap<Failpoint, FailpointMode>;

export function nameFailpoint(boundary: Boundary, side: Side): Failpoint {
  const [loop, step] = boundary.split('.');
  return `${loop}.${side}_${step}`;
}

export const FAILPOINTS: readonly Failpoint[] = (Object.keys(BOUNDARIES) as Boundary[]).flatMap((boundary) =>
  SIDES.map((side) => nameFailpoint(boundary, side)),
);

let armed: Map<Failpoint, FailpointMode> | null = null;

/** Arms each failpoint for its first hit. An empty map disarms all failpoints. */
export function armFailpoints(failpoints: ArmedFailpoints): void {
  armed = failpoints.size === 0 ? null : new Map(failpoints);
}

/** Runs a step between its failpoints. A test requires this for every database transaction and authority call. */
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
  // The logger would buffer the line, and killing the process would lose it.
  writeSync(STANDARD_ERROR, `${formatHitLine(failpoint, mode)}\n`);
  await ACTIONS[mode](failpoint);
}

/** Formats the line that a process writes to standard error at an armed failpoint. */
export function formatHitLine(failpoint: Failpoint, mode: FailpointMode): string {
  return `Failpoint ${failpoint} reached: ${mode}`;
}

function hangForever(): Promise<never> {
  return new Promise(() => undefined);
}

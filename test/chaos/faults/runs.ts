import { type FaultPlan, planFaults, type PlanRequest } from './plan.js';

/** Faults and call limits of a run. */
export interface RunKind {
  plan(request: PlanRequest): FaultPlan;
  /** Fraction of the published call limits. 0 disables the limits. */
  readonly rateFactor: 0 | 1;
}

export type RunName = 'mixed' | 'killed-dispatchers' | 'lost-responses';

/** Runs by the value of `--faults`. */
export const RUNS: Readonly<Record<RunName, RunKind>> = {
  /** All faults, without call limits because they would only slow down the run. */
  mixed: { plan: planFaults, rateFactor: 0 },
  /** Kills each dispatcher every two seconds. */
  'killed-dispatchers': { plan: planDispatcherKills, rateFactor: 0 },
  /** Drops every fifth submit response. The resulting searches must stay within the call limits. */
  'lost-responses': { plan: planLostResponses, rateFactor: 1 },
};

export const RUN_NAMES = Object.keys(RUNS) as readonly RunName[];

const DISPATCHER = /^dispatcher-/;
const EACH_KILLED_EVERY_MS = 2_000;

function planDispatcherKills({ kills, targets }: PlanRequest): FaultPlan {
  const dispatchers = targets.filter((target) => DISPATCHER.test(target));
  const stepMs = EACH_KILLED_EVERY_MS / dispatchers.length;
  const faults = Array.from({ length: kills }, (_, index) => ({
    atMs: (index + 1) * stepMs,
    fault: { kind: 'kill', target: dispatchers[index % dispatchers.length] } as const,
  }));
  return { faults, endMs: (kills + 1) * stepMs };
}

const LOST_RESPONSES_MS = 180_000;
const TIMES_MAX = 1_000_000;

function planLostResponses(): FaultPlan {
  const fault = { kind: 'authority', api: 'submit', fault: 'drop-after', times: TIMES_MAX, every: 5 } as const;
  return { faults: [{ atMs: 0, fault }], endMs: LOST_RESPONSES_MS };
}

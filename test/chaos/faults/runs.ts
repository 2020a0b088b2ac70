import { type FaultPlan, planFaults, type PlanRequest } from './plan.js';

/** What the processes of a run go through, and which call limits the authority has for them. */
export interface RunKind {
  plan(request: PlanRequest): FaultPlan;
  /** Share of the published call limits, here and at the simulator: 0 none. */
  readonly rateFactor: 0 | 1;
}

export type RunName = 'mixed' | 'killed-dispatchers' | 'lost-responses';

/** The runs by their names at `--faults`. */
export const RUNS: Readonly<Record<RunName, RunKind>> = {
  /** All together; without call limits, since a budget would only make it slower. */
  mixed: { plan: planFaults, rateFactor: 0 },
  /** Only the dispatchers die, each of them every two seconds. */
  'killed-dispatchers': { plan: planDispatcherKills, rateFactor: 0 },
  /** Nobody dies, and every fifth submission is taken without a response: what that costs in searches is limited too. */
  'lost-responses': { plan: planLostResponses, rateFactor: 1 },
};

export const RUN_NAMES = Object.keys(RUNS) as readonly RunName[];

const DISPATCHER = /^dispatcher-/;
const EACH_KILLED_EVERY_MS = 2_000;

/** One dispatcher after the other. */
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

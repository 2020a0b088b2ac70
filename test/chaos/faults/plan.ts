import { createRandom, type Random } from '../../../bench/content/random.js';

export type Target = string;

export type Fault =
  | { readonly kind: 'kill'; readonly target: Target }
  | { readonly kind: 'kill-postgres'; readonly downMs: number }
  | { readonly kind: 'terminate-connections' }
  | { readonly kind: 'freeze'; readonly target: Target; readonly ms: number }
  | { readonly kind: 'restart'; readonly target: Target }
  | LinkFault
  | {
      readonly kind: 'authority';
      readonly api: string;
      readonly fault: string;
      readonly times: number;
      /** Affects every nth call. The default is 1. */
      readonly every?: number;
    }
  /** A 429 without other faults, so that the service must respect it. */
  | { readonly kind: 'throttle'; readonly api: string; readonly fault: string };

export interface LinkFault {
  readonly kind: 'link';
  readonly target: Target;
  readonly link: 'database' | 'authority';
  readonly toxic: 'latency' | 'reset' | 'black-hole' | 'hold' | 'slow-close';
  readonly ms: number;
}

export interface PlannedFault {
  readonly atMs: number;
  readonly fault: Fault;
}

export interface FaultPlan {
  readonly faults: readonly PlannedFault[];
  readonly endMs: number;
}

/** Interval of the kills. */
const FAULT_WINDOW_MS = 4_000;
const WINDOWS_BETWEEN_THROTTLES = 7;
/** Earlier faults end and killed processes restart within this time. */
const QUIET_BEFORE_MS = 4_000;
export const THROTTLE_MS = 4_000;

const POSTGRES = 'postgres';
const POSTGRES_SHARE = 0.2;
const POSTGRES_DOWN_MS_MAX = 1_500;
/** Longer than the lease and the following lookups, so that another process takes over the claims. */
const FREEZE_MS_MAX = 11_000;
const LINK_MS_MAX = 3_500;
export const LATENCY_MS = 400;

export interface PlanRequest {
  readonly seed: number;
  readonly kills: number;
  readonly targets: readonly Target[];
}

/** Plans one kill and a few other faults per window. The plan is deterministic for a seed. */
export function planFaults({ seed, kills, targets }: PlanRequest): FaultPlan {
  const random = createRandom(seed);
  const faults: PlannedFault[] = [];
  let sceneMs = 0;
  let overMs = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const add = (fault: Fault, durationMs: number): void => {
      const atMs = sceneMs + random.integer(0, FAULT_WINDOW_MS - 1);
      faults.push({ atMs, fault });
      overMs = Math.max(overMs, atMs + durationMs);
    };
    add(planKill(random, targets), 0);
    for (let others = random.integer(1, 3); others > 0; others -= 1) {
      const fault = planOther(random, targets);
      add(fault, 'ms' in fault ? fault.ms : 0);
    }
    sceneMs += FAULT_WINDOW_MS;
    if (kill % WINDOWS_BETWEEN_THROTTLES !== WINDOWS_BETWEEN_THROTTLES - 1) continue;
    const atMs = Math.max(overMs, sceneMs) + QUIET_BEFORE_MS;
    faults.push({ atMs, fault: planThrottle(random) });
    sceneMs = atMs + THROTTLE_MS;
  }
  faults.sort((a, b) => a.atMs - b.atMs);
  return { faults, endMs: Math.max(overMs, sceneMs) };
}

function planKill(random: Random, targets: readonly Target[]): Fault {
  if (random.chance(POSTGRES_SHARE)) return { kind: 'kill-postgres', downMs: random.integer(0, POSTGRES_DOWN_MS_MAX) };
  return { kind: 'kill', target: random.pick(targets.filter((target) => target !== POSTGRES)) };
}

const TOXICS = ['latency', 'reset', 'black-hole', 'hold', 'slow-close'] as const;
const APIS = ['submit', 'submit', 'submit', 'getSubmission', 'details', 'search', 'cancel', 'token'] as const;
const AUTHORITY_FAULTS = [
  'drop-before',
  'drop-after',
  'late',
  'http-500-before',
  'http-500-after',
  'http-503',
  'html-403',
  'truncated-json',
  '429-seconds',
  '429-date',
  '401',
  'html-504-after',
  'slow-body',
  'huge-answer',
  'wrong-content-type',
  'redirect',
] as const;
/** Faults of the submit call: wrong documents in the response, or only half of the documents accepted. */
const SUBMIT_FAULTS = ['partial-answer', 'out-of-order', 'duplicate-uuid', 'partial-accept'] as const;
const FAULT_TIMES_MAX = 3;

function planOther(random: Random, targets: readonly Target[]): Fault {
  const target = random.pick(targets);
  switch (random.integer(0, 10)) {
    case 0:
      return { kind: 'freeze', target, ms: random.integer(200, FREEZE_MS_MAX) };
    case 1:
      return { kind: 'restart', target };
    case 2:
      return { kind: 'terminate-connections' };
    case 3:
      return { kind: 'authority', api: 'cancel', fault: 'cancel-200-with-error', times: 1 };
    case 4:
    case 5:
    case 6:
      return {
        kind: 'link',
        target,
        link: random.pick(['database', 'authority'] as const),
        toxic: random.pick(TOXICS),
        ms: random.integer(100, LINK_MS_MAX),
      };
    case 7:
      return { kind: 'authority', api: 'submit', fault: random.pick(SUBMIT_FAULTS), times: 1 };
    default:
      return {
        kind: 'authority',
        api: random.pick(APIS),
        fault: random.pick(AUTHORITY_FAULTS),
        times: random.integer(1, FAULT_TIMES_MAX),
      };
  }
}

function planThrottle(random: Random): Fault {
  return {
    kind: 'throttle',
    api: random.pick(['submit', 'getSubmission'] as const),
    fault: random.pick(['429-seconds', '429-date'] as const),
  };
}

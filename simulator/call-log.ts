import { type ApiName, apiNames } from './api-names.js';
import type { FaultName } from './fault-table.js';
import { SequencedLog } from './sequenced-log.js';

/** A call of the authority's API, or of the canary that a redirect points to and that no sound client ever calls. */
export type CalledName = ApiName | 'canary';

interface CallEntry {
  /** By the simulator's clock, with milliseconds. */
  time: string;
  api: CalledName;
  clientId: string;
  taxpayerTin: string;
  /** Null when the connection was cut instead of a response. */
  status: number | null;
  fault: FaultName | null;
  /** The header of this name, for tests of traces; null without one. */
  traceparent: string | null;
}

interface CallCounts {
  calls: number;
  /** Refused with 429. */
  refused: number;
  /** The most calls in any 60 seconds, wherever they begin. */
  busiestMinute: number;
}

const entriesMax = 1_000_000;
const minuteMs = 60_000;

/** Every call in the order of its response, for those who count them: budgets, logins, searches. */
export class CallLog {
  readonly log = new SequencedLog<CallEntry>(entriesMax);

  add(at: number, call: Omit<CallEntry, 'time'>): void {
    this.log.append({ time: new Date(at).toISOString(), ...call });
  }

  /** For each call that is known, also for those that were never made. */
  counts(): Record<CalledName, CallCounts> {
    const names: CalledName[] = [...apiNames, 'canary'];
    const counted = names.map((name) => [name, countCalls(this.log.all().filter(({ api }) => api === name))]);
    return Object.fromEntries(counted) as Record<CalledName, CallCounts>;
  }
}

function countCalls(calls: readonly CallEntry[]): CallCounts {
  const instants = calls.map(({ time }) => Date.parse(time));
  let busiestMinute = 0;
  let first = 0;
  for (const [index, instant] of instants.entries()) {
    while ((instants[first] ?? instant) <= instant - minuteMs) first += 1;
    busiestMinute = Math.max(busiestMinute, index - first + 1);
  }
  return { calls: calls.length, refused: calls.filter(({ status }) => status === 429).length, busiestMinute };
}

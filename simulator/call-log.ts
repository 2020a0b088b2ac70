import { type ApiName, apiNames } from './api-names.js';
import type { FaultName } from './fault-table.js';
import { SequencedLog } from './sequenced-log.js';

/** An API call, or a request to the canary address of the `redirect` fault. */
export type CalledName = ApiName | 'canary';

interface CallEntry {
  /** Simulator time with milliseconds. */
  time: string;
  api: CalledName;
  clientId: string;
  taxpayerTin: string;
  /** Null if the connection was cut without a response. */
  status: number | null;
  fault: FaultName | null;
  /** The `traceparent` header, or null if it is missing. */
  traceparent: string | null;
}

interface CallCounts {
  calls: number;
  /** Number of calls rejected with 429. */
  refused: number;
  /** Highest number of calls in any sliding window of 60 seconds. */
  busiestMinute: number;
}

const entriesMax = 1_000_000;
const minuteMs = 60_000;

/** Log of all calls in response order. Tests use it to count logins, searches and calls per minute. */
export class CallLog {
  readonly log = new SequencedLog<CallEntry>(entriesMax);

  add(at: number, call: Omit<CallEntry, 'time'>): void {
    this.log.append({ time: new Date(at).toISOString(), ...call });
  }

  /** Returns the counts of every API call, including calls that never occurred. */
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

import { groupBy } from './group.js';
import type { AuthorityCall, Finding, SharedEvidence } from './evidence.js';

// A call may be under way while another one is told to wait: without call limits a slot counts as late after a second,
// and a machine that stalls lies between the look at the clock and the call.
const RETRY_AFTER_SPREAD_MS = 2_000;

/**
 * 8: no call is beyond its limit, and after a 429 nobody calls that API with that client id before the time it named.
 */
export function findCallsOff({ calls }: SharedEvidence): Finding[] {
  const findings: Finding[] = [];
  for (const group of groupBy(calls, ({ api, clientId }) => `${api} ${clientId}`).values()) {
    findings.push(...callsInsideWait(group));
  }
  return [...findings, ...calls.filter(isOverLimit).map(overLimit)];
}

/** A 429 that no fault of the run made: the limit of the API itself was not kept. */
export function isOverLimit({ status, fault }: AuthorityCall): boolean {
  return status === 429 && fault === null;
}

function overLimit({ api, at }: AuthorityCall): Finding {
  return { check: 'calls_off', what: 'called beyond the limit', ids: { api, at: new Date(at).toISOString() } };
}

function callsInsideWait(calls: readonly AuthorityCall[]): Finding[] {
  const findings: Finding[] = [];
  let toldAt = 0;
  let until = 0;
  for (const { api, at, status, retryAfterSeconds } of [...calls].sort((a, b) => a.at - b.at)) {
    if (at > toldAt + RETRY_AFTER_SPREAD_MS && at < until) {
      const ids = { api, at: new Date(at).toISOString(), until: new Date(until).toISOString() };
      findings.push({ check: 'calls_off', what: 'called within the time of a Retry-After', ids });
    }
    if (status !== 429 || retryAfterSeconds === null) continue;
    toldAt = at;
    until = Math.max(until, at + retryAfterSeconds * 1_000);
  }
  return findings;
}

/** 12, and the clients' side of 2: nothing is left open. */
export function findLeaked({ leftovers, violations }: SharedEvidence): Finding[] {
  return [...leftovers, ...violations].map((what) => ({ check: 'leaked', what, ids: {} }));
}

export function findUnanswered({ unanswered }: SharedEvidence): Finding[] {
  return unanswered.map((what) => ({ check: 'unresolved', what: `a client never got a response: ${what}`, ids: {} }));
}

/** What consumers can and cannot handle ended as designed. */
export function findDepartures({ departures }: SharedEvidence): Finding[] {
  return departures.map((what) => ({ check: 'deliveries_off', what, ids: {} }));
}

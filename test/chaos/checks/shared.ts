import { groupBy } from './group.js';
import type { AuthorityCall, Finding, SharedEvidence } from './evidence.js';

// A call may already be in progress when another call receives a 429. Without call limits, a slot expires after one
// second; a stalled machine delays the call further.
const RETRY_AFTER_SPREAD_MS = 2_000;

/** Check 8: calls respect the rate limits and the Retry-After of a 429 per API and client id. */
export function findCallsOff({ calls }: SharedEvidence): Finding[] {
  const findings: Finding[] = [];
  for (const group of groupBy(calls, ({ api, clientId }) => `${api} ${clientId}`).values()) {
    findings.push(...callsInsideWait(group));
  }
  return [...findings, ...calls.filter(isOverLimit).map(overLimit)];
}

/** Returns whether a 429 is a violation of the authority's rate limit and not an injected fault. */
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

/** Check 12: processes release all resources and do not exit unexpectedly. */
export function findLeaked({ leftovers, violations }: SharedEvidence): Finding[] {
  return [...leftovers, ...violations].map((what) => ({ check: 'leaked', what, ids: {} }));
}

export function findUnanswered({ unanswered }: SharedEvidence): Finding[] {
  return unanswered.map((what) => ({ check: 'unresolved', what: `a client never got a response: ${what}`, ids: {} }));
}

export function findDepartures({ departures }: SharedEvidence): Finding[] {
  return departures.map((what) => ({ check: 'deliveries_off', what, ids: {} }));
}

import { findResponsesOff, findForeignIds } from './responses.js';
import { findCreditsOff } from './credits.js';
import { findDeliveriesOff } from './deliveries.js';
import { findContentOff, findDuplicated, findLost, findUnasked } from './documents.js';
import type { Finding, SharedEvidence, TenantEvidence } from './evidence.js';
import { findCallsOff, findDepartures, findLeaked, findUnanswered } from './shared.js';
import { findCancelsOff, findIllegalTransitions, findUnresolved } from './states.js';

const OF_TENANT: readonly ((evidence: TenantEvidence) => Finding[])[] = [
  findLost,
  findUnasked,
  findDuplicated,
  findContentOff,
  findCreditsOff,
  findResponsesOff,
  findIllegalTransitions,
  findUnresolved,
  findForeignIds,
  findCancelsOff,
  findDeliveriesOff,
];

const OF_ALL: readonly ((evidence: SharedEvidence) => Finding[])[] = [
  findCallsOff,
  findLeaked,
  findUnanswered,
  findDepartures,
];

/** Returns the findings of all checks for one tenant. Checks are pure functions. */
export function checkTenant(evidence: TenantEvidence): Finding[] {
  return OF_TENANT.flatMap((check) => check(evidence));
}

export function checkShared(evidence: SharedEvidence): Finding[] {
  return OF_ALL.flatMap((check) => check(evidence));
}

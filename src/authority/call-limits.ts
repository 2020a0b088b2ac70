/** The rate-limited operations of the authority, as stored in `call_budget.api`. */
export type AuthorityApi =
  'login' | 'submit' | 'getSubmission' | 'details' | 'raw' | 'cancel' | 'validateTin' | 'search';

/**
 * Published limits in calls per minute per client id (integration practices, enforced since 30 May 2025). All tenants
 * of an intermediary share its client id and therefore one budget. Search is also limited to one call per five seconds
 * per taxpayer; the spacing of the shared budget already satisfies this.
 */
export const PUBLISHED_CALLS_PER_MINUTE: Readonly<Record<AuthorityApi, number>> = {
  login: 12,
  submit: 100,
  getSubmission: 300,
  details: 125,
  raw: 60,
  cancel: 12,
  validateTin: 60,
  search: 12,
};

/**
 * Share of a limit available to API requests, per tenant and for all tenants together. The rest is reserved for the
 * dispatcher (docs/decisions/0084-shares-of-authority-calls.md).
 */
export const REQUEST_SHARES: Readonly<
  Partial<Record<AuthorityApi, readonly { readonly holder: 'tenant' | 'all'; readonly part: number }[]>>
> = {
  validateTin: [{ holder: 'tenant', part: 1 / 2 }],
  login: [
    { holder: 'tenant', part: 1 / 4 },
    { holder: 'all', part: 1 / 2 },
  ],
};

// Leaves some calls unused, because network jitter can push evenly spaced calls over the limit of a sliding minute. Two
// of 100 cost little, but two of 12 would cost a sixth, so small limits keep only one spare call.
const SPARE_CALLS = 2;
const SPARE_CALLS_OF_SMALL_LIMIT = 1;
const SMALL_LIMIT = 30;

/** Returns the seconds between two calls. Factor 0 means unlimited. */
export function computeGapSeconds(api: AuthorityApi, rateFactor: number): number {
  if (rateFactor === 0) return 0;
  const limit = PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor;
  // Very small factors would otherwise leave no calls at all.
  return 60 / Math.max(limit - countSpareCalls(limit), limit / 2);
}

// Without limits, a slot still expires, so that a call respects a 429 received after the slot was reserved.
const LATE_SECONDS_MAX_WITHOUT_LIMITS = 1;

/**
 * Returns how many seconds after its slot's time a call may still be sent. Late calls may exceed the limit of a sliding
 * minute, and the spare calls absorb that. Half of this margin is used here, and half is left for network jitter.
 */
export function computeLateSecondsMax(api: AuthorityApi, rateFactor: number): number {
  if (rateFactor === 0) return LATE_SECONDS_MAX_WITHOUT_LIMITS;
  const limit = PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor;
  return (computeGapSeconds(api, rateFactor) * countSpareCalls(limit)) / 2;
}

function countSpareCalls(limit: number): number {
  return limit < SMALL_LIMIT ? SPARE_CALLS_OF_SMALL_LIMIT : SPARE_CALLS;
}

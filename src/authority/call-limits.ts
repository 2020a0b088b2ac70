export type AuthorityApi =
  'login' | 'submit' | 'getSubmission' | 'details' | 'raw' | 'cancel' | 'validateTin' | 'search';

/** Published limits in calls per minute and client id (integration practices, enforced since 30 May 2025). */
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

/** Share for API requests, per tenant and in total (docs/decisions/0084-shares-of-authority-calls.md). */
export const REQUEST_SHARES: Readonly<
  Partial<Record<AuthorityApi, readonly { readonly holder: 'tenant' | 'all'; readonly part: number }[]>>
> = {
  validateTin: [{ holder: 'tenant', part: 1 / 2 }],
  login: [
    { holder: 'tenant', part: 1 / 4 },
    { holder: 'all', part: 1 / 2 },
  ],
};

// Network jitter can push evenly spaced calls over the limit of a sliding minute, so some calls stay unused.
const SPARE_CALLS = 2;
const SPARE_CALLS_OF_SMALL_LIMIT = 1;
const SMALL_LIMIT = 30;

/** Computes the seconds between two calls. Factor 0 means unlimited. */
export function computeGapSeconds(api: AuthorityApi, rateFactor: number): number {
  if (rateFactor === 0) return 0;
  const limit = PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor;
  return 60 / Math.max(limit - countSpareCalls(limit), limit / 2);
}

// Even without limits, a slot expires so that its call respects a later 429.
const LATE_SECONDS_MAX_WITHOUT_LIMITS = 1;

/** Computes how many seconds after its time a slot remains usable: half of the margin of the spare calls. */
export function computeLateSecondsMax(api: AuthorityApi, rateFactor: number): number {
  if (rateFactor === 0) return LATE_SECONDS_MAX_WITHOUT_LIMITS;
  const limit = PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor;
  return (computeGapSeconds(api, rateFactor) * countSpareCalls(limit)) / 2;
}

function countSpareCalls(limit: number): number {
  return limit < SMALL_LIMIT ? SPARE_CALLS_OF_SMALL_LIMIT : SPARE_CALLS;
}

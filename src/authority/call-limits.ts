/** The calls that the authority limits, by our names; `call_budget.api` holds them. */
export type AuthorityApi =
  'login' | 'submit' | 'getSubmission' | 'details' | 'raw' | 'cancel' | 'validateTin' | 'search';

/**
 * Calls a minute and client id, as the authority publishes them (integration practices, enforced since 30 May 2025).
 * An intermediary's tenants share its client id, hence one budget. Search is also limited to one call in five seconds
 * for a taxpayer, which the spacing of the shared budget already keeps.
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
 * What requests may use of a limit, each tenant and all of them together; the rest is left to the dispatcher
 * (docs/decisions/0084-shares-of-authority-calls.md).
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

// Evenly spaced calls reach the authority unevenly: a spare keeps any sliding minute within the limit. Two calls of 100
// cost little; two of 12 would cost a sixth, so one must do.
const SPARE_CALLS = 2;
const SPARE_CALLS_OF_SMALL_LIMIT = 1;
const SMALL_LIMIT = 30;

/** Seconds between two calls; 0 when the factor is 0, which means no limit. */
export function computeGapSeconds(api: AuthorityApi, rateFactor: number): number {
  if (rateFactor === 0) return 0;
  const limit = PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor;
  // A factor that leaves hardly a call a minute still leaves half of it.
  return 60 / Math.max(limit - countSpareCalls(limit), limit / 2);
}

// Where nothing is spaced, a call must still hear of a 429 that came after its slot was taken.
const LATE_SECONDS_MAX_WITHOUT_LIMITS = 1;

/**
 * How long after its instant a call may still leave, in seconds. A sliding minute holds as many calls too many as fit
 * into the time by which they are late: all of that time is the spare calls' gaps. Half of it is ours, and half is left
 * to the network.
 */
export function computeLateSecondsMax(api: AuthorityApi, rateFactor: number): number {
  if (rateFactor === 0) return LATE_SECONDS_MAX_WITHOUT_LIMITS;
  const limit = PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor;
  return (computeGapSeconds(api, rateFactor) * countSpareCalls(limit)) / 2;
}

function countSpareCalls(limit: number): number {
  return limit < SMALL_LIMIT ? SPARE_CALLS_OF_SMALL_LIMIT : SPARE_CALLS;
}

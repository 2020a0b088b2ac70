/** A failed attempt. `status` is null if the response was lost. */
export interface Failure {
  readonly status: number | null;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;
}

export interface RetryRule {
  /** Null matches a lost response. */
  readonly statuses: readonly [from: number, to: number] | null;
  readonly codes?: readonly string[];
  /** Whether the request is sent again with the same key. */
  readonly isRepeated: boolean;
  /**
   * State of the key after the failure. `unknown`: a request with this key may have been accepted. `unread`: this
   * attempt was rejected before the key was read, so the state from earlier attempts still applies. `decided`: no
   * request with this key was accepted.
   */
  readonly key: 'unknown' | 'unread' | 'decided';
}

/** Retry rules. The first matching rule applies. */
export const RETRY_RULES: readonly RetryRule[] = [
  { statuses: null, isRepeated: true, key: 'unknown' },
  // The response is unreadable or comes from a proxy.
  { statuses: [200, 299], isRepeated: true, key: 'unknown' },
  { statuses: [408, 408], isRepeated: true, key: 'unread' },
  { statuses: [409, 409], codes: ['idempotency_key_in_progress'], isRepeated: true, key: 'unknown' },
  { statuses: [429, 429], isRepeated: true, key: 'unread' },
  // A retry fails until the taxpayer appoints the intermediary.
  { statuses: [503, 503], codes: ['not_appointed'], isRepeated: false, key: 'decided' },
  { statuses: [500, 599], isRepeated: true, key: 'unknown' },
  {
    statuses: [400, 400],
    codes: ['validation_failed', 'supplier_profile_incomplete', 'supplier_not_verified'],
    isRepeated: false,
    key: 'decided',
  },
  {
    statuses: [402, 409],
    codes: [
      'insufficient_credits',
      'document_not_found',
      'duplicate_document',
      'idempotency_key_reused',
      'document_not_valid',
      'cancellation_in_progress',
      'cancellation_window_closed',
      'active_referencing_documents',
    ],
    isRepeated: false,
    key: 'decided',
  },
];

// Other client errors, redirects and unknown codes.
const OTHERWISE: RetryRule = { statuses: null, isRepeated: false, key: 'unread' };

const BACKOFF_MS_FIRST = 500;
const BACKOFF_MS_MAX = 30_000;
/** A longer Retry-After is passed to the caller in the error instead. */
const RETRY_AFTER_SECONDS_MAX = 300;

export function findRetryRule({ status, code }: Pick<Failure, 'status' | 'code'>): RetryRule {
  const fits = ({ statuses, codes }: RetryRule): boolean => {
    if (status === null || statuses === null) return status === statuses;
    return status >= statuses[0] && status <= statuses[1] && (codes?.includes(code ?? '') ?? true);
  };
  return RETRY_RULES.find(fits) ?? OTHERWISE;
}

/**
 * Returns the milliseconds to wait before the next attempt, or null if the call must not be retried.
 * @param attempt number of the failed attempt, starting at 1
 * @param random jitter from 0 to 1, so that clients that failed together do not retry together
 */
export function planRetry(
  failure: Failure,
  { attempt, attemptsMax, random }: { attempt: number; attemptsMax: number; random: number },
): number | null {
  const { retryAfterSeconds } = failure;
  if (!findRetryRule(failure).isRepeated || attempt >= attemptsMax) return null;
  if (retryAfterSeconds !== null && retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) return null;
  const backoff = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** (attempt - 1));
  if (retryAfterSeconds === null) return backoff * (0.5 + random / 2);
  // Retry-After is a lower bound.
  return Math.max(retryAfterSeconds * 1_000 + BACKOFF_MS_FIRST * random, backoff / 2);
}

/** Parses a Retry-After header in seconds or as a date. Returns seconds, or null if it is missing or malformed. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

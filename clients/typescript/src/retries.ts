/** How an attempt ended that brought no result: `status` is null if its response was lost. */
export interface Failure {
  readonly status: number | null;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;
}

export interface RetryRule {
  /** Null: the response was lost. */
  readonly statuses: readonly [from: number, to: number] | null;
  readonly codes?: readonly string[];
  /** Whether the same request, with the same key, is sent again. */
  readonly isRepeated: boolean;
  /**
   * What the failure says of a key: `unknown`, a request with it may have been accepted; `unread`, this attempt was
   * refused before the key was looked up, so that earlier ones keep their doubt; `decided`, none was accepted.
   */
  readonly key: 'unknown' | 'unread' | 'decided';
}

/** The first row that fits decides. */
export const RETRY_RULES: readonly RetryRule[] = [
  { statuses: null, isRepeated: true, key: 'unknown' },
  // Of a proxy, or one that cannot be read.
  { statuses: [200, 299], isRepeated: true, key: 'unknown' },
  { statuses: [408, 408], isRepeated: true, key: 'unread' },
  { statuses: [409, 409], codes: ['idempotency_key_in_progress'], isRepeated: true, key: 'unknown' },
  { statuses: [429, 429], isRepeated: true, key: 'unread' },
  // Somebody must act first.
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

// Refused, redirected, or a code that this client does not know.
const OTHERWISE: RetryRule = { statuses: null, isRepeated: false, key: 'unread' };

const BACKOFF_MS_FIRST = 500;
const BACKOFF_MS_MAX = 30_000;
/** A longer Retry-After is for the caller to wait, who is told it. */
const RETRY_AFTER_SECONDS_MAX = 300;

export function findRetryRule({ status, code }: Pick<Failure, 'status' | 'code'>): RetryRule {
  const fits = ({ statuses, codes }: RetryRule): boolean => {
    if (status === null || statuses === null) return status === statuses;
    return status >= statuses[0] && status <= statuses[1] && (codes?.includes(code ?? '') ?? true);
  };
  return RETRY_RULES.find(fits) ?? OTHERWISE;
}

/**
 * How long to wait before the next attempt; null: there is none.
 * @param attempt the one that failed, from 1
 * @param random from 0 to 1, so that clients that failed together do not come back together
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
  // Never sooner than the service says.
  return Math.max(retryAfterSeconds * 1_000 + BACKOFF_MS_FIRST * random, backoff / 2);
}

/** Seconds, or a date. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

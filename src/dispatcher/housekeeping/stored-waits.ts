import type { EntityManager } from 'typeorm';
import { QUARTER_SECONDS } from '../../accounts/attempts.js';
import { REFUSAL_SECONDS, SHARE_WAIT_SECONDS_MAX, SLOT_WITHIN_SECONDS_MAX } from '../../authority/call-budget.js';
import {
  type AuthorityApi,
  computeGapSeconds,
  PUBLISHED_CALLS_PER_MINUTE,
  REQUEST_SHARES,
} from '../../authority/call-limits.js';
import { RETRY_AFTER_SECONDS_MAX } from '../../authority/retry-after.js';
import { LOGIN_LEASE_SECONDS } from '../../authority/tokens.js';
import type { Configuration } from '../../config/configuration.js';
import { ENVIRONMENTS } from '../../config/environment.js';
import { RETRY_SECONDS_MAX } from '../../document-events/deliver.loop.js';
import { LONGEST_POLL_SECONDS, LONGEST_WATCH_SECONDS } from '../queue/poll-intervals.js';
import { LOOKUP_SECONDS_MAX, RESEND_WINDOW_SECONDS } from '../queue/lookup-times.js';
import { FORMER_TAXPAYER_SECONDS, LONGEST_WAIT_SECONDS } from '../queue/tenant-queues.js';

export interface LimitedWaits {
  readonly kind: string;
  readonly waits: number;
  readonly longestSeconds: number;
}

const LIMIT = /* sql */ `
  SELECT kind, waits, longest_seconds AS "longestSeconds" FROM limit_stored_waits($1, $2)`;

/** Shortens stored waits that became too long when the database's clock was set back. */
export function limitStoredWaits(tx: EntityManager, configuration: Configuration): Promise<LimitedWaits[]> {
  const parameters = [JSON.stringify(buildLongestWaits(configuration)), JSON.stringify(buildCallWaits(configuration))];
  return tx.query<LimitedWaits[]>(LIMIT, parameters);
}

function buildLongestWaits({ times }: Configuration): object {
  const lease = times.dispatchLeaseSeconds + SLOT_WITHIN_SECONDS_MAX;
  return {
    lease,
    doubt: Math.max(
      lease,
      times.reconcileGraceSeconds,
      times.reconcileSecondLookupSeconds,
      LOOKUP_SECONDS_MAX,
      RETRY_AFTER_SECONDS_MAX,
    ),
    poll: Math.max(lease, LONGEST_POLL_SECONDS),
    watch: Math.max(lease, LONGEST_WATCH_SECONDS),
    resend: RESEND_WINDOW_SECONDS,
    resendPause: RESEND_WINDOW_SECONDS,
    login: LOGIN_LEASE_SECONDS,
    document: FORMER_TAXPAYER_SECONDS,
    event: RETRY_SECONDS_MAX,
    signIn: QUARTER_SECONDS,
    retryAfter: RETRY_AFTER_SECONDS_MAX,
    queueWaits: LONGEST_WAIT_SECONDS,
    callBlocks: {
      call_budget: RETRY_AFTER_SECONDS_MAX,
      authority_unavailable: RETRY_AFTER_SECONDS_MAX,
      client_refused: REFUSAL_SECONDS,
    },
  };
}

function buildCallWaits({ authorities }: Configuration): object[] {
  const apis = Object.keys(PUBLISHED_CALLS_PER_MINUTE) as AuthorityApi[];
  return ENVIRONMENTS.flatMap((environment) => {
    const { rateFactor } = authorities[environment] ?? {};
    if (rateFactor === undefined) return [];
    return apis.map((api) => {
      const gap = computeGapSeconds(api, rateFactor);
      const smallestPart = Math.min(1, ...(REQUEST_SHARES[api] ?? []).map(({ part }) => part));
      return {
        environment,
        api,
        slotSeconds: SLOT_WITHIN_SECONDS_MAX + gap,
        shareSeconds: SHARE_WAIT_SECONDS_MAX + gap / smallestPart,
      };
    });
  });
}

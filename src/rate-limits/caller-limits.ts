import type { RateLimitSettings } from '../config/rate-limit-settings.js';
import { computeLimits, KIND_WORDS, type LimitedKind, type OwnLimits, WINDOW_SECONDS } from './limits.js';
import type { Limit } from './rate-limiter.js';

export interface NamedLimit extends Limit {
  /** Name in `RateLimit` and `RateLimit-Policy`. */
  readonly policy: string;
  readonly refusal: string;
}

export interface Counted {
  readonly tenantId: string;
  readonly keyId?: string;
}

/** Returns the limits of a request: those of its key and of its organisation. */
export function listCallerLimits(
  settings: RateLimitSettings,
  ownLimits: OwnLimits,
  { tenantId, keyId }: Counted,
  kinds: readonly LimitedKind[],
): NamedLimit[] {
  const quotas = computeLimits(settings, ownLimits);
  return kinds.flatMap((kind) => {
    const { name, words } = KIND_WORDS[kind];
    const [ofKey, ofOrganisation] = [quotas.key[kind], quotas.organisation[kind]];
    const limits: NamedLimit[] = [];
    if (ofKey > 0 && keyId !== undefined) {
      const refusal = `This API key has used up its limit of ${ofKey} ${words} per minute`;
      limits.push({ bucket: `key ${keyId} ${name}`, quota: ofKey, policy: `key-${name}`, refusal });
    }
    if (ofOrganisation > 0) {
      const refusal = `Your organisation has used up its limit of ${ofOrganisation} ${words} per minute`;
      limits.push({
        bucket: `tenant ${tenantId} ${name}`,
        quota: ofOrganisation,
        policy: `organisation-${name}`,
        refusal,
      });
    }
    return limits;
  });
}

/** Returns the limit of a signed-in user, which equals that of a key. */
export function findUserLimit({ requests }: RateLimitSettings, userId: string): NamedLimit | null {
  if (requests === 0) return null;
  return {
    bucket: `user ${userId} requests`,
    quota: requests,
    policy: 'user-requests',
    refusal: `You have used up your limit of ${requests} requests per minute`,
  };
}

/** Returns the limit of a network address without a valid key. */
export function findNetworkLimit(
  { addressRequests }: RateLimitSettings,
  network: string,
  use: 'health' | 'requests',
): NamedLimit | null {
  if (addressRequests === 0) return null;
  return {
    bucket: `network ${network} ${use}`,
    quota: addressRequests,
    policy: `network-${use}`,
    refusal: `Your network address has used up its limit of ${addressRequests} requests per minute without a valid API key`,
  };
}

export function formatPolicies(limits: readonly NamedLimit[]): string {
  return limits.map(({ policy, quota }) => `"${policy}";q=${quota};w=${WINDOW_SECONDS}`).join(', ');
}

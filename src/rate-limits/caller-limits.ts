import type { RateLimitSettings } from '../config/rate-limit-settings.js';
import { findFigures, KIND_WORDS, type LimitedKind, type OwnFigures, WINDOW_SECONDS } from './limits.js';
import type { Limit } from './rate-limiter.service.js';

/** A limit as clients know it. */
export interface NamedLimit extends Limit {
  /** In `RateLimit` and `RateLimit-Policy`. */
  readonly policy: string;
  /** What is used up when it is. */
  readonly refusal: string;
}

/** Whose requests are counted: an organisation's, by one of its keys or, without one, by a person. */
export interface Counted {
  readonly tenantId: string;
  readonly keyId?: string;
}

/** The limits that a request counts in: of its key, and of its organisation. */
export function listCallerLimits(
  settings: RateLimitSettings,
  ownFigures: OwnFigures,
  { tenantId, keyId }: Counted,
  kinds: readonly LimitedKind[],
): NamedLimit[] {
  const figures = findFigures(settings, ownFigures);
  return kinds.flatMap((kind) => {
    const { name, words } = KIND_WORDS[kind];
    const [ofKey, ofOrganisation] = [figures.key[kind], figures.organisation[kind]];
    const limits: NamedLimit[] = [];
    if (ofKey > 0 && keyId !== undefined) {
      const refusal = `This API key has used up its limit of ${ofKey} ${words} a minute`;
      limits.push({ bucket: `key ${keyId} ${name}`, quota: ofKey, policy: `key-${name}`, refusal });
    }
    if (ofOrganisation > 0) {
      const refusal = `Your organisation has used up its limit of ${ofOrganisation} ${words} a minute`;
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

/** The limit of a person who is signed in, for whatever their pages ask: that of a key. */
export function findPersonLimit({ requests }: RateLimitSettings, userId: string): NamedLimit | null {
  if (requests === 0) return null;
  return {
    bucket: `user ${userId} requests`,
    quota: requests,
    policy: 'user-requests',
    refusal: `You have used up your limit of ${requests} requests a minute`,
  };
}

/** The limit of a network, for what comes without a key that works. */
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
    refusal: `Your network address has used up its limit of ${addressRequests} requests a minute without a valid API key`,
  };
}

/** `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): a list of strings with parameters. */
export function formatPolicies(limits: readonly NamedLimit[]): string {
  return limits.map(({ policy, quota }) => `"${policy}";q=${quota};w=${WINDOW_SECONDS}`).join(', ');
}

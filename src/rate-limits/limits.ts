import type { RateLimitSettings } from '../config/rate-limit-settings.js';

/** Each request counts as `requests`. Submits, dry runs and TIN checks have an additional limit. */
export const LIMITED_KINDS = ['requests', 'submits', 'tinChecks'] as const;
export type LimitedKind = (typeof LIMITED_KINDS)[number];

/** Requests per minute; 0 means unlimited. */
export type LimitByKind = Readonly<Record<LimitedKind, number>>;

/** Limits that an operator has set for an organisation; null means the default. */
export type OwnLimits = Readonly<Record<LimitedKind, number | null>>;

export const NO_OWN_LIMITS: OwnLimits = { requests: null, submits: null, tinChecks: null };

export const WINDOW_SECONDS = 60;

/** The limit of an organisation, as a multiple of the limit of one key. */
const KEYS_OF_ORGANISATION = 5;

export const KIND_WORDS: Readonly<Record<LimitedKind, { name: string; words: string }>> = {
  requests: { name: 'requests', words: 'requests' },
  submits: { name: 'submits', words: 'submits' },
  tinChecks: { name: 'tin-checks', words: 'TIN checks' },
};

export interface EffectiveLimits {
  readonly key: LimitByKind;
  readonly organisation: LimitByKind;
}

/**
 * Computes the effective limits. A limit set by an operator applies to all keys together, and one key may use it up.
 */
export function computeLimits(settings: RateLimitSettings, own: OwnLimits): EffectiveLimits {
  return {
    key: byKind((kind) => own[kind] ?? settings[kind]),
    organisation: byKind((kind) => own[kind] ?? settings[kind] * KEYS_OF_ORGANISATION),
  };
}

function byKind(limitOf: (kind: LimitedKind) => number): LimitByKind {
  return { requests: limitOf('requests'), submits: limitOf('submits'), tinChecks: limitOf('tinChecks') };
}

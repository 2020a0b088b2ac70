import type { RateLimitSettings } from '../config/rate-limit-settings.js';

/** Each request counts as `requests`; submits, dry runs and TIN checks have another limit in addition. */
export const LIMITED_KINDS = ['requests', 'submits', 'tinChecks'] as const;
export type LimitedKind = (typeof LIMITED_KINDS)[number];

/** Requests per minute; 0 means unlimited. */
export type RateFigures = Readonly<Record<LimitedKind, number>>;

/** Limits that an operator has set for an organisation; null means the default. */
export type OwnFigures = Readonly<Record<LimitedKind, number | null>>;

export const NO_OWN_FIGURES: OwnFigures = { requests: null, submits: null, tinChecks: null };

export const WINDOW_SECONDS = 60;

/** All keys of an organisation together have this many times the limit of one key. */
const KEYS_OF_ORGANISATION = 5;

export const KIND_WORDS: Readonly<Record<LimitedKind, { name: string; words: string }>> = {
  requests: { name: 'requests', words: 'requests' },
  submits: { name: 'submits', words: 'submits' },
  tinChecks: { name: 'tin-checks', words: 'TIN checks' },
};

export interface EffectiveFigures {
  readonly key: RateFigures;
  readonly organisation: RateFigures;
}

/**
 * Computes the effective limits. A limit set by an operator applies to all keys together, and one key may use it up.
 */
export function findFigures(settings: RateLimitSettings, own: OwnFigures): EffectiveFigures {
  return {
    key: byKind((kind) => own[kind] ?? settings[kind]),
    organisation: byKind((kind) => own[kind] ?? settings[kind] * KEYS_OF_ORGANISATION),
  };
}

function byKind(figure: (kind: LimitedKind) => number): RateFigures {
  return { requests: figure('requests'), submits: figure('submits'), tinChecks: figure('tinChecks') };
}

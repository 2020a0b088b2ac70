import type { RateLimitSettings } from '../config/rate-limit-settings.js';

/** What is counted: every request with a key, and of those the submits (dry runs included) and the TIN checks. */
export const LIMITED_KINDS = ['requests', 'submits', 'tinChecks'] as const;
export type LimitedKind = (typeof LIMITED_KINDS)[number];

/** How many a minute; 0: any number. */
export type RateFigures = Readonly<Record<LimitedKind, number>>;

/** What an operator has set for an organisation; null: the usual figure. */
export type OwnFigures = Readonly<Record<LimitedKind, number | null>>;

export const NO_OWN_FIGURES: OwnFigures = { requests: null, submits: null, tinChecks: null };

export const WINDOW_SECONDS = 60;

/** The keys of an organisation together may make as many times what one may: a few systems, each as busy as allowed. */
const KEYS_OF_ORGANISATION = 5;

/** In words: of a message, and of a policy's name. */
export const KIND_WORDS: Readonly<Record<LimitedKind, { name: string; words: string }>> = {
  requests: { name: 'requests', words: 'requests' },
  submits: { name: 'submits', words: 'submits' },
  tinChecks: { name: 'tin-checks', words: 'TIN checks' },
};

/** The figures of an organisation: of one key, and of all its keys together. */
export interface EffectiveFigures {
  readonly key: RateFigures;
  readonly organisation: RateFigures;
}

/**
 * Where an operator has set a figure it holds for all keys together, and a single one may use all of it: how an
 * organisation shares its own is no concern of others.
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

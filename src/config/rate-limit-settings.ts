import type { SettingsReader } from './settings-reader.js';

/** How many requests a minute are allowed; 0: any number (docs/rules.md#rate-limits). */
export interface RateLimitSettings {
  /** Of one API key, or of one person who is signed in. */
  readonly requests: number;
  readonly submits: number;
  readonly tinChecks: number;
  /** Of one network address, without a key or session that works. */
  readonly addressRequests: number;
}

/** More than any process can take. */
export const PER_MINUTE_MAX = 1_000_000;

export function readRateLimits(settings: SettingsReader): RateLimitSettings {
  const perMinute = (name: string, standard: number): number =>
    settings.integer(name, { default: standard, minimum: 0, maximum: PER_MINUTE_MAX });
  return {
    requests: perMinute('RATE_LIMIT_REQUESTS_PER_MINUTE', 600),
    submits: perMinute('RATE_LIMIT_SUBMITS_PER_MINUTE', 120),
    tinChecks: perMinute('RATE_LIMIT_TIN_CHECKS_PER_MINUTE', 60),
    addressRequests: perMinute('RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE', 600),
  };
}

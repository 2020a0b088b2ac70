import type { SettingsReader } from './settings-reader.js';

/** Maximum requests per minute. 0 means unlimited (docs/rules.md#rate-limits). */
export interface RateLimitSettings {
  readonly requests: number;
  readonly submits: number;
  readonly tinChecks: number;
  /** Per network address, for requests without a valid key or session. */
  readonly addressRequests: number;
}

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

import type { Headers } from './responses.js';
import type { ApiName } from './api-names.js';

const windowMs = 60_000;
const searchSpacingMs = 5_000;

/** Published limits per minute and client id. The last four are not published; they use the limit of other lookups. */
const callsPerMinute: Record<ApiName, number> = {
  token: 12,
  submit: 100,
  getSubmission: 300,
  details: 125,
  raw: 60,
  cancel: 12,
  validateTin: 60,
  search: 12,
  recent: 12,
  searchTin: 60,
  qrCode: 60,
  documentTypes: 60,
  documentType: 60,
  documentTypeVersion: 60,
  notifications: 60,
};

interface Window {
  startedAt: number;
  calls: number;
}

export type RateVerdict =
  { isAllowed: true; headers: Headers } | { isAllowed: false; headers: Headers; seconds: number };

interface RatedCall {
  api: ApiName;
  clientId: string;
  taxpayerTin: string;
}

export class RateLimits {
  private readonly windows = new Map<string, Window>();
  private readonly lastSearches = new Map<string, number>();

  /** Counts the call and returns whether it is allowed. A factor of 0 disables the limits. */
  take(call: RatedCall, factor: number, now: number): RateVerdict {
    if (factor === 0) return { isAllowed: true, headers: {} };
    const limit = Math.max(1, Math.floor(callsPerMinute[call.api] * factor));
    const window = this.currentWindow(`${call.api} ${call.clientId}`, now);
    window.calls += 1;
    const headers: Headers = {
      'X-Rate-Limit-Limit': String(limit),
      'X-Rate-Limit-Remaining': String(Math.max(0, limit - window.calls)),
    };
    if (window.calls > limit) return refusal(headers, window.startedAt + windowMs, now);
    const searchAllowedAt = this.takeSearch(call, factor, now);
    return searchAllowedAt > now ? refusal(headers, searchAllowedAt, now) : { isAllowed: true, headers };
  }

  private currentWindow(key: string, now: number): Window {
    const known = this.windows.get(key);
    if (known && now < known.startedAt + windowMs) return known;
    const window = { startedAt: now, calls: 0 };
    this.windows.set(key, window);
    return window;
  }

  /** Applies the second limit of Search: one call per five seconds and taxpayer. */
  private takeSearch({ api, taxpayerTin }: RatedCall, factor: number, now: number): number {
    if (api !== 'search') return now;
    const allowedAt = (this.lastSearches.get(taxpayerTin) ?? -Infinity) + searchSpacingMs / factor;
    if (allowedAt <= now) this.lastSearches.set(taxpayerTin, now);
    return allowedAt;
  }
}

function refusal(headers: Headers, until: number, now: number): RateVerdict {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  return {
    isAllowed: false,
    seconds,
    headers: { ...headers, 'Retry-After': String(seconds), 'X-Rate-Limit-Reset': new Date(until).toISOString() },
  };
}

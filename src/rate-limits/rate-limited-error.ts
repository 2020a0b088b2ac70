import { ApiError, type ErrorHeaders } from '../errors/api-error.js';

export class RateLimitedError extends ApiError {
  readonly status = 429;
  readonly code = 'rate_limited';
  override readonly headers: ErrorHeaders;

  constructor(what: string, retryAfterSeconds: number) {
    super(`${what}; try again in ${retryAfterSeconds} second${retryAfterSeconds === 1 ? '' : 's'}`);
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

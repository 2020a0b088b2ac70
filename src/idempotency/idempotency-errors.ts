import { ApiError } from '../errors/api-error.js';

export class IdempotencyKeyInvalidError extends ApiError {
  readonly status = 400;
  readonly code = 'idempotency_key_invalid';

  constructor() {
    super('The idempotency-key header is required once, with 1 to 255 visible ASCII characters (max 255 characters)');
  }
}

export class IdempotencyKeyReusedError extends ApiError {
  readonly status = 409;
  readonly code = 'idempotency_key_reused';

  constructor() {
    super(
      'This idempotency-key was used with a different body: send a new or corrected request with a new key, and repeat the earlier one with its own body',
    );
  }
}

export class IdempotencyKeyInProgressError extends ApiError {
  readonly status = 409;
  readonly code = 'idempotency_key_in_progress';
  override readonly headers = { 'Retry-After': '1' };

  constructor() {
    super('A request with this idempotency-key is being processed; retry with the same key and body');
  }
}

export const IDEMPOTENCY_ERROR_EXAMPLES: readonly ApiError[] = [
  new IdempotencyKeyInvalidError(),
  new IdempotencyKeyReusedError(),
  new IdempotencyKeyInProgressError(),
];

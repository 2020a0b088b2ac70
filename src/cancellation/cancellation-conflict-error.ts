import { ApiError } from '../errors/api-error.js';

/** 409 responses of cancel (docs/rules.md#cancellation), with the facts that the caller needs. */
export class CancellationConflictError extends ApiError {
  readonly status = 409;

  constructor(
    readonly code:
      'document_not_valid' | 'cancellation_in_progress' | 'cancellation_window_closed' | 'active_referencing_documents',
    message: string,
    private readonly facts: Record<string, unknown>,
  ) {
    super(message);
  }

  override details(): Record<string, unknown> {
    return this.facts;
  }
}

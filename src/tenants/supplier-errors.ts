import { ApiError } from '../errors/api-error.js';

export class SupplierProfileIncompleteError extends ApiError {
  readonly status = 400;
  readonly code = 'supplier_profile_incomplete';

  constructor(private readonly missing: readonly string[]) {
    super(`The organisation's supplier profile is incomplete: ${missing.join(', ')} missing`);
  }

  override details(): Record<string, unknown> {
    return { missing: this.missing, errors: [this.message] };
  }
}

/** The organisation is not verified for its TIN (400). */
export class SupplierNotVerifiedError extends ApiError {
  readonly status = 400;
  readonly code = 'supplier_not_verified';

  constructor(
    message: string,
    private readonly verification: { readonly status: string; readonly reason: string | null },
  ) {
    super(message);
  }

  override details(): Record<string, unknown> {
    const { status, reason } = this.verification;
    return { verification: { status, reason }, errors: [this.message] };
  }
}

export const SUPPLIER_ERROR_EXAMPLES: readonly ApiError[] = [
  new SupplierProfileIncompleteError(['TIN', 'MSIC']),
  new SupplierNotVerifiedError(
    'The organisation waits for the operator of this service to verify its TIN in the production environment. ' +
      'Wait for the decision, or ask the operator of this service for it.',
    { status: 'waiting', reason: null },
  ),
];

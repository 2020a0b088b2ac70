import { type ErrorHeaders, ApiError } from '../errors/api-error.js';

export interface CreditShortage {
  readonly requiredCredits: number;
  readonly remainingCredits: number;
  readonly documentCount: number;
}

export class InsufficientCreditsError extends ApiError {
  readonly status = 402;
  readonly code = 'insufficient_credits';
  override readonly headers: ErrorHeaders;

  constructor(private readonly shortage: CreditShortage) {
    super('Insufficient prepaid credits');
    this.headers = { 'X-Credits-Remaining': String(shortage.remainingCredits) };
  }

  override details(): Record<string, unknown> {
    const { requiredCredits, remainingCredits, documentCount } = this.shortage;
    return { requiredCredits, remainingCredits, shortBy: requiredCredits - remainingCredits, documentCount };
  }
}

export const INSUFFICIENT_CREDITS_EXAMPLE = new InsufficientCreditsError({
  requiredCredits: 3,
  remainingCredits: 1,
  documentCount: 3,
});

import { computeLastDayBefore } from './expiry.js';

/** Warns below this number of credits, regardless of usage. */
export const LITTLE_CREDITS = 50;
const EXPIRY_NOTICE_DAYS = 30;
const DAY_MS = 24 * 3_600 * 1_000;

export const CREDIT_WARNINGS = ['none_left', 'little_left', 'expires_soon'] as const;

export interface CreditWarning {
  readonly code: (typeof CREDIT_WARNINGS)[number];
  readonly message: string;
  readonly hint: string;
}

export interface CreditPosition {
  readonly balance: number;
  /** Credits that only the sandbox can spend. */
  readonly sandboxOnly: number;
  readonly usedLastSevenDays: number;
  readonly lots: readonly { readonly remaining: number; readonly expiresAt: Date }[];
}

/** Warns before credits run out or expire. */
export function buildCreditWarnings(position: CreditPosition, now: Date): CreditWarning[] {
  const { usedLastSevenDays, lots } = position;
  const noticed = lots.filter(({ expiresAt }) => expiresAt.getTime() - now.getTime() <= EXPIRY_NOTICE_DAYS * DAY_MS);
  return [
    ...warnOfShortage(position, usedLastSevenDays),
    ...noticed.map(({ remaining, expiresAt }) => ({
      code: 'expires_soon' as const,
      message: `${formatCount(remaining)} can be spent through ${computeLastDayBefore(expiresAt)} and ${remaining === 1 ? 'is' : 'are'} lost after it`,
      hint: 'They are spent first; unused credits are not refunded',
    })),
  ];
}

// Sandbox credits cannot prevent the rejection of a tax document.
function warnOfShortage({ balance: all, sandboxOnly }: CreditPosition, used: number): CreditWarning[] {
  const balance = all - sandboxOnly;
  const hint = 'Order credits now: an operator confirms the payment before they can be spent';
  if (balance === 0) {
    const message =
      sandboxOnly === 0
        ? 'No credits are left: documents are refused until you have some'
        : `No credits are left for production: documents are refused there until you have some. The sandbox has ${formatCount(sandboxOnly)}`;
    return [{ code: 'none_left', message, hint }];
  }
  if (balance < used) {
    const message = `${formatCount(balance)} left, and the last seven days used ${used.toLocaleString('en')}`;
    return [{ code: 'little_left', message, hint }];
  }
  return balance < LITTLE_CREDITS ? [{ code: 'little_left', message: `Only ${formatCount(balance)} left`, hint }] : [];
}

function formatCount(credits: number): string {
  return `${credits.toLocaleString('en')} ${credits === 1 ? 'credit' : 'credits'}`;
}

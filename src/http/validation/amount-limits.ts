import {
  AMOUNT_LIMIT,
  AMOUNT_WHOLE_DIGITS,
  SIGNIFICANT_DIGITS_MAX,
  isSurelyDecimal,
  splitDigits,
} from '../../common/decimal.js';
import { type AmountUnit, preciseHint, roundedHint } from './hints.js';

export interface AmountBounds {
  readonly decimals: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isMinimumExcluded?: boolean;
  readonly minimumHint?: (value: number) => string;
  readonly unit?: AmountUnit;
  readonly maximumHint?: string;
  /** Appended to the hint of a value that must be rounded. */
  readonly roundingHint?: string;
}

export const GROUPED_LIMIT = AMOUNT_LIMIT.toLocaleString('en');

export interface AmountLimit {
  readonly kind: string;
  readonly holds: (value: number) => boolean;
  readonly message: string;
  readonly hint: (value: number) => string;
}

export function listAmountLimits(bounds: AmountBounds, example?: string): AmountLimit[] {
  const { decimals, minimum, maximum, isMinimumExcluded = false, unit = 'MYR', roundingHint } = bounds;
  const isEnough = (value: number): boolean =>
    minimum === undefined || (isMinimumExcluded ? value > minimum : value >= minimum);
  const least = `${isMinimumExcluded ? 'above' : 'at least'} ${minimum ?? 0}`;
  const tooSmall = bounds.minimumHint ?? ((): string => example ?? least);
  const round = (value: number): string => {
    const rounded = Number(value.toFixed(decimals));
    const broken = limits.find(({ holds }) => !holds(rounded));
    if (broken !== undefined) return broken.hint(rounded);
    const hint = roundedHint(value, decimals);
    return roundingHint === undefined ? hint : `${hint}; ${roundingHint}`;
  };
  const limits: AmountLimit[] = [
    {
      kind: 'range',
      holds: (value) => Math.abs(value) < AMOUNT_LIMIT,
      message: `must be below ${GROUPED_LIMIT} in absolute value`,
      hint: () => (unit === 'MYR' ? 'check the number of digits: the amount is in MYR' : 'check the number of digits'),
    },
    {
      kind: 'decimals',
      holds: (value) => hasDecimals(value, decimals),
      message: `must be a number with at most ${decimals} decimals`,
      hint: round,
    },
  ];
  if (AMOUNT_WHOLE_DIGITS + decimals > SIGNIFICANT_DIGITS_MAX) {
    limits.push({
      kind: 'precision',
      holds: (value) => isPrecise(value, decimals),
      message: `must have at most ${SIGNIFICANT_DIGITS_MAX} significant digits`,
      hint: preciseHint,
    });
  }
  if (minimum !== undefined) {
    limits.push({
      kind: 'minimum',
      holds: isEnough,
      message: `must be ${isMinimumExcluded ? 'greater than' : 'at least'} ${minimum}`,
      hint: tooSmall,
    });
  }
  if (maximum !== undefined) {
    limits.push({
      kind: 'maximum',
      holds: (value) => value <= maximum,
      message: `must be at most ${maximum}`,
      hint: () => bounds.maximumHint ?? example ?? `at most ${maximum}`,
    });
  }
  return limits;
}

function hasDecimals(value: number, decimals: number): boolean {
  return isSurelyDecimal(value, decimals) || splitDigits(value).decimals <= decimals;
}

function isPrecise(value: number, decimals: number): boolean {
  return isSurelyDecimal(value, decimals) || splitDigits(value).significant <= SIGNIFICANT_DIGITS_MAX;
}

/** An exact decimal number: units × 10^-decimals. */
export interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

export const zero: Decimal = { units: 0n, decimals: 0 };

/** Converts the number's shortest decimal notation, which may have an exponent. */
export function toDecimal(value: number): Decimal {
  // JSON.parse reads a number of 310 digits as Infinity.
  const finite = Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
  const [mantissa = '0', exponent = '0'] = String(finite).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return decimals < 0 ? { units: units * 10n ** BigInt(-decimals), decimals: 0 } : { units, decimals };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const decimals = Math.max(a.decimals, b.decimals);
  return { units: scale(a, decimals) + scale(b, decimals), decimals };
}

export function negate({ units, decimals }: Decimal): Decimal {
  return { units: -units, decimals };
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, decimals: a.decimals + b.decimals };
}

export function absolute(value: Decimal): Decimal {
  return value.units < 0n ? negate(value) : value;
}

export function isAbove(a: Decimal, b: Decimal): boolean {
  const decimals = Math.max(a.decimals, b.decimals);
  return scale(a, decimals) > scale(b, decimals);
}

export function formatDecimal({ units, decimals }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  // Drops trailing zeros of the fraction.
  const [text = ''] = /^\d+(?:\.\d*[1-9])?/.exec(`${digits.slice(0, point)}.${digits.slice(point)}`) ?? [];
  return units < 0n ? `-${text}` : text;
}

/** @param decimals must not be lower than the number's own decimals */
function scale({ units, decimals: own }: Decimal, decimals: number): bigint {
  return units * 10n ** BigInt(decimals - own);
}

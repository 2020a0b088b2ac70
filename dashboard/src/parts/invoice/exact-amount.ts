interface Exact {
  readonly units: bigint;
  readonly decimals: number;
}

const SEN_DECIMALS = 2;

/**
 * Computes the sum of products exactly and rounds it to sen, half away from zero, as the service does. Returns NaN if a
 * factor is not a finite number.
 */
export function roundSum(...products: readonly (readonly number[])[]): number {
  if (!products.flat().every(Number.isFinite)) return Number.NaN;
  return toSen(products.map((factors) => factors.map(toExact).reduce(multiply)).reduce(add));
}

/** Returns `part` as a percentage of `whole`, computed exactly and rounded to two decimals. `whole` must not be 0. */
export function roundShare(part: number, whole: number): number {
  const [dividend, divisor] = [toExact(part), toExact(whole)];
  const decimals = Math.max(dividend.decimals, divisor.decimals);
  return fromHundredths(divide(scale(dividend, decimals) * 10_000n, scale(divisor, decimals)));
}

/** Parses the shortest decimal notation of the number, which may have an exponent. */
function toExact(value: number): Exact {
  const [mantissa, exponent = '0'] = String(value).split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return decimals < 0 ? { units: units * 10n ** BigInt(-decimals), decimals: 0 } : { units, decimals };
}

function multiply(a: Exact, b: Exact): Exact {
  return { units: a.units * b.units, decimals: a.decimals + b.decimals };
}

function add(a: Exact, b: Exact): Exact {
  const decimals = Math.max(a.decimals, b.decimals);
  return { units: scale(a, decimals) + scale(b, decimals), decimals };
}

function scale({ units, decimals: own }: Exact, decimals: number): bigint {
  return units * 10n ** BigInt(decimals - own);
}

function toSen(amount: Exact): number {
  const decimals = Math.max(amount.decimals, SEN_DECIMALS);
  return fromHundredths(divide(scale(amount, decimals), 10n ** BigInt(decimals - SEN_DECIMALS)));
}

function divide(dividend: bigint, divisor: bigint): bigint {
  const [size, unit] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const whole = (2n * size + unit) / (2n * unit);
  return dividend < 0n === divisor < 0n ? whole : -whole;
}

function fromHundredths(hundredths: bigint): number {
  return Number(`${hundredths}e-2`);
}

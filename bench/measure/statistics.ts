/** Returns the value below which the given share of the values lies, or NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = ascending(values);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Confidence interval of at least 95 % for the median. Null if there are too few values. */
  readonly interval: readonly [number, number] | null;
}

export function computeSpread(values: readonly number[]): Spread {
  const sorted = ascending(values);
  const outside = valuesOutside(sorted.length);
  return {
    median: median(sorted),
    least: sorted[0],
    most: sorted[sorted.length - 1],
    interval: outside === null ? null : [sorted[outside], sorted[sorted.length - 1 - outside]],
  };
}

const OUTSIDE_PROBABILITY_MAX = 0.05;

/**
 * Returns how many sorted values to omit at each end (sign test). The test assumes no distribution, because bursts of
 * other load are not normally distributed.
 */
function valuesOutside(count: number): number | null {
  let outside: number | null = null;
  let binomial = 0.5 ** count;
  let tail = 0;
  for (let left = 0; left < count; left += 1) {
    tail += binomial;
    if (2 * tail > OUTSIDE_PROBABILITY_MAX) return outside;
    outside = left;
    binomial *= (count - left) / (left + 1);
  }
  return outside;
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}

const PLAIN = /^(?:RM\s?)?-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?\s?%?$/i;

/** Whether a text is a number that can be read in one way: commas stand before each three digits, or nowhere. */
export function isPlainAmount(text: string): boolean {
  return PLAIN.test(text);
}

const PERCENT = /^(\d+(?:\.\d+)?)\s*%$/;

/** The rate of a text such as 8%; null for any other text. */
export function readRate(text: string): number | null {
  const [, rate] = PERCENT.exec(text) ?? [];
  return rate === undefined ? null : Number(rate);
}

const TYPED = /^-?\d*\.?\d*$/;

/** Whether a field holds, as it was written, what is no number that can be read in one way: nothing is sent with it. */
export function isUnreadAmount(value: unknown): boolean {
  return typeof value === 'string' && !TYPED.test(value);
}

/** What stands next to the field. */
export function refuseAmount(text: string): string {
  const problem = readRate(text) === null ? 'can be read in two ways' : 'is a rate, and no number or amount';
  return `“${text}” ${problem}. Write it as 1,234.56.`;
}

/** What stands next to a field that takes whole numbers only; null for one, and for an empty field. */
export function refuseFraction(value: number | string): string | null {
  if (isUnreadAmount(value)) return refuseAmount(String(value));
  return /^\d*$/.test(String(value)) ? null : `${value} is not a whole number`;
}

const PLAIN = /^(?:RM\s?)?(-?(?:(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?|\.\d+))$/i;

/**
 * The number of a text that can be read in one way: commas stand before each three digits, or nowhere, and the dot is
 * the decimal point. Null for any other text, a rate such as 8% among them.
 */
export function readAmount(text: string): number | null {
  const [, digits] = PLAIN.exec(text.trim()) ?? [];
  return digits === undefined ? null : Number(digits.replaceAll(',', ''));
}

const PERCENT = /^(\d+(?:\.\d+)?)\s*%$/;

/** The rate of a text such as 8%; null for any other text. */
export function readRate(text: string): number | null {
  const [, rate] = PERCENT.exec(text.trim()) ?? [];
  return rate === undefined ? null : Number(rate);
}

/** Whether a field holds, as it was written, what is no number that can be read in one way: nothing is sent with it. */
export function isUnreadAmount(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && readAmount(value) === null;
}

/** What stands next to the field. */
export function refuseAmount(text: string): string {
  return `“${text}” ${findProblem(text)}. Write it as 1,234.56.`;
}

function findProblem(text: string): string {
  if (readRate(text) !== null) return 'is a rate, and no number or amount';
  return /^[\d.,\s]*\d[\d.,\s]*$/.test(text) ? 'can be read in two ways' : 'is not a number';
}

/** What stands next to a field that takes whole numbers only; null for one, and for an empty field. */
export function refuseFraction(value: number | string): string | null {
  if (isUnreadAmount(value)) return refuseAmount(String(value));
  return /^\d*$/.test(String(value)) ? null : `${value} is not a whole number`;
}

/** 1,234.50 of 1234.50, with the digits as they were written; a text that is no number stays as it is. */
export function groupDigits(text: string): string {
  if (readAmount(text) === null) return text;
  const [whole, ...decimals] = ungroupDigits(text).split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...decimals].join('.');
}

/** 1234.50 of 1,234.50; a text that is no number stays as it is. */
export function ungroupDigits(text: string): string {
  return readAmount(text) === null ? text : text.replaceAll(/[^\d.-]/g, '');
}

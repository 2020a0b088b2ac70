const PLAIN = /^(?:RM\s?)?(-?(?:(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?|\.\d+))$/i;

/**
 * Parses an unambiguous number: the decimal separator is a dot, and commas separate thousands. Returns null for any
 * other text, including a rate such as 8%.
 */
export function readAmount(text: string): number | null {
  const [, digits] = PLAIN.exec(text.trim()) ?? [];
  return digits === undefined ? null : Number(digits.replaceAll(',', ''));
}

const PERCENT = /^(\d+(?:\.\d+)?)\s*%$/;

/** Parses a rate such as 8%. Returns null for any other text. */
export function readRate(text: string): number | null {
  const [, rate] = PERCENT.exec(text.trim()) ?? [];
  return rate === undefined ? null : Number(rate);
}

/** Whether the value is a text that is not an unambiguous number. A form with such a value is not sent. */
export function isInvalidAmount(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && readAmount(value) === null;
}

/** Returns the error message for an invalid amount. */
export function describeInvalidAmount(text: string): string {
  return `“${text}” ${findProblem(text)}. Write it as 1,234.56.`;
}

function findProblem(text: string): string {
  if (readRate(text) !== null) return 'is a rate, not an amount';
  return /^[\d.,\s]*\d[\d.,\s]*$/.test(text) ? 'can be read in two ways' : 'is not a number';
}

/** Returns the error message for an invalid whole number, or null. */
export function validateWholeNumber(value: number | string): string | null {
  if (isInvalidAmount(value)) return describeInvalidAmount(String(value));
  return /^\d*$/.test(String(value)) ? null : `${value} is not a whole number`;
}

export function groupDigits(text: string): string {
  if (readAmount(text) === null) return text;
  const [whole, ...decimals] = ungroupDigits(text).split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...decimals].join('.');
}

/** Removes the thousands separators. Returns other texts unchanged. */
export function ungroupDigits(text: string): string {
  return readAmount(text) === null ? text : text.replaceAll(/[^\d.-]/g, '');
}

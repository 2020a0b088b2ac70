import type { components } from '../api/schema.js';

const ringgit = new Intl.NumberFormat('en-MY', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat('en-MY');

/** Formats an amount such as `RM 1,234.50`. */
export function formatAmount(value: number): string {
  return `${value < 0 ? '-' : ''}RM ${ringgit.format(Math.abs(value))}`;
}

export function formatCount(value: number): string {
  return whole.format(value);
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** Formats a duration in its two largest units, such as `2 days 3 hours` or `under a minute`. */
export function formatDuration(seconds: number): string {
  const words: string[] = [];
  let left = seconds;
  for (const [size, name] of UNITS) {
    const number = Math.floor(left / size);
    left -= number * size;
    if (number > 0 && words.length < 2) words.push(`${number} ${name}${number === 1 ? '' : 's'}`);
    else if (words.length > 0) break;
  }
  return words.length === 0 ? 'under a minute' : words.join(' ');
}

/** Formats a past time in minutes or hours, such as `3 hours ago` or `just now`. */
export function formatAgo(seconds: number): string {
  const [size, name] = seconds < 3_600 ? ([60, 'minute'] as const) : ([3_600, 'hour'] as const);
  const number = Math.floor(seconds / size);
  return number === 0 ? 'just now' : `${number} ${name}${number === 1 ? '' : 's'} ago`;
}

type DocumentType = components['schemas']['QueuedDocumentDto']['documentType'];

/** Names of the document types. A missing type of the API is a type error. */
export const DOCUMENT_TYPE_NAMES: Readonly<Record<DocumentType, string>> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
};

export const DOCUMENT_TYPES = Object.keys(DOCUMENT_TYPE_NAMES) as readonly DocumentType[];

/** Returns the code of an unknown type, which a newer service may send. */
export function formatDocumentType(documentType: string): string {
  const known = DOCUMENT_TYPES.find((type) => type === documentType);
  return known === undefined ? documentType : DOCUMENT_TYPE_NAMES[known];
}

const ENVIRONMENTS: Record<string, string> = { sandbox: 'Sandbox', production: 'Production' };

export function formatEnvironment(environment: string): string {
  return ENVIRONMENTS[environment] ?? environment;
}

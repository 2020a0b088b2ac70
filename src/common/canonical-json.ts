import { createHash } from 'node:crypto';

/**
 * One text per JSON value (docs/rules.md#idempotency): members sorted by code unit, no white space, numbers in JSON's
 * shortest form (so `1.0` and `1` are one number, and so are `-0` and `0`), strings untouched. Meant for what
 * `JSON.parse` returns; as in `JSON.stringify`, a member that is undefined is left out. Recursive: the caller bounds
 * the depth.
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (Array.isArray(value)) return formatArray(value);
  return isRecord(value) ? formatObject(value) : 'null';
}

/** SHA-256 of the canonical JSON, 32 bytes: what "same body" compares (docs/rules.md#idempotency). */
export function hashBody(value: unknown): Buffer {
  return createHash('sha256').update(toCanonicalJson(value), 'utf8').digest();
}

function formatArray(values: readonly unknown[]): string {
  let text = '[';
  let separator = '';
  for (const value of values) {
    text += separator + toCanonicalJson(value);
    separator = ',';
  }
  return `${text}]`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function formatObject(value: Readonly<Record<string, unknown>>): string {
  let text = '{';
  let separator = '';
  // Without a comparator, sort() orders by UTF-16 code units; a locale would order differently on another machine.
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member === undefined) continue;
    text += `${separator}${quote(name)}:${toCanonicalJson(member)}`;
    separator = ',';
  }
  return `${text}}`;
}

// JSON.parse reads 1e999 as Infinity; writing it back keeps such a body apart from one that says null there.
function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'null';
  return value > 0 ? '1e999' : '-1e999';
}

// Everything but control characters, the quote, the backslash and surrogates.
const NEEDS_NO_ESCAPE = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/**
 * The text as JSON, equal to `JSON.stringify(text)`: a lone surrogate becomes its escape, so that the result is always
 * valid UTF-8 and no two texts share one.
 */
export function quote(text: string): string {
  // Most texts need no escape, and joining is several times cheaper than a call of JSON.stringify for each.
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}

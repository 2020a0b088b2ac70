import { createHash } from 'node:crypto';

/**
 * One text per JSON value (docs/rules.md#idempotency): members sorted by code unit, no white space, numbers in JSON's
 * shortest form (so `1.0` and `1` are one number, and so are `-0` and `0`), strings untouched. Meant for what
 * `JSON.parse` returns; as in `JSON.stringify`, a member that is undefined is left out. Recursive: the caller bounds
 * the depth.
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return formatValue(value);
  const sorted = new MemberSorter().sort(value);
  return sorted === null ? formatValue(value) : JSON.stringify(sorted);
}

// Names that JavaScript orders by itself, or gives another meaning.
const ORDERED_OR_SPECIAL = /^(?:\d|__proto__$)/;

// Of the interface's own objects there are a few hundred; a body of other names is written without sorting copies.
const NODES_MAX = 2_000;

/** What follows a name in the objects of one value. */
interface NameNode {
  readonly next: Map<string, NameNode>;
  /** The names up to here, sorted; null until an object has ended here. */
  sorted: readonly string[] | null;
}

/**
 * Copies of a value's objects with their members in canonical order, for JSON.stringify, which writes them several times
 * as fast as code does. Objects with the same names in the same order, as those of a list are, have their names sorted
 * once.
 */
class MemberSorter {
  private readonly root: NameNode = { next: new Map(), sorted: null };
  private nodes = 0;
  private isExact = true;

  /** @returns null when JSON.stringify would not write the copy in the canonical way */
  sort(value: object): object | null {
    const copy = this.copyObject(value);
    return this.isExact ? copy : null;
  }

  private copy(value: unknown): unknown {
    // It would write null.
    if (value === Infinity || value === -Infinity) this.isExact = false;
    return typeof value === 'object' && value !== null ? this.copyObject(value) : value;
  }

  private copyObject(value: object): object | null {
    if (!this.isExact) return null;
    if (Array.isArray(value)) return value.map((item: unknown) => this.copy(item));
    const members = value as Readonly<Record<string, unknown>>;
    const copy: Record<string, unknown> = {};
    for (const name of this.sortNames(Object.keys(members))) copy[name] = this.copy(members[name]);
    return copy;
  }

  private sortNames(names: string[]): readonly string[] {
    let node = this.root;
    for (const name of names) {
      let next = node.next.get(name);
      if (next === undefined) {
        this.nodes += 1;
        if (this.nodes > NODES_MAX || ORDERED_OR_SPECIAL.test(name)) {
          this.isExact = false;
          return [];
        }
        next = { next: new Map(), sorted: null };
        node.next.set(name, next);
      }
      node = next;
    }
    // Without a comparator, sort() orders by UTF-16 code units; a locale would order differently on another machine.
    return (node.sorted ??= names.sort());
  }
}

function formatValue(value: unknown): string {
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
    text += separator + formatValue(value);
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
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member === undefined) continue;
    text += `${separator}${quote(name)}:${formatValue(member)}`;
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

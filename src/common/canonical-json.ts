import { createHash } from 'node:crypto';

/**
 * Serializes JSON canonically (docs/rules.md#idempotency): members sorted by code unit, no white space, and numbers in
 * their shortest form. Omits undefined members. Expects a value from `JSON.parse`. The caller must limit its depth.
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return formatValue(value);
  const sorted = new MemberSorter().sort(value);
  return sorted === null ? formatValue(value) : JSON.stringify(sorted);
}

// Names that JavaScript sorts differently or treats specially.
const ORDERED_OR_SPECIAL = /^(?:\d|__proto__$)/;

// Limits the cache. The interface's own objects need a few hundred nodes. Other bodies use the slow path.
const NODES_MAX = 2_000;

interface NameNode {
  readonly next: Map<string, NameNode>;
  /** Sorted names on the path to this node, or null if no object ends here. */
  sorted: readonly string[] | null;
}

/**
 * Sorts members for `JSON.stringify`, which is much faster than `formatValue`. Caches the order for each set of names.
 */
class MemberSorter {
  private readonly root: NameNode = { next: new Map(), sorted: null };
  private nodes = 0;
  private isExact = true;

  /** Returns null if `JSON.stringify` would not serialize the copy canonically. */
  sort(value: object): object | null {
    const copy = this.copyObject(value);
    return this.isExact ? copy : null;
  }

  private copy(value: unknown): unknown {
    // `JSON.stringify` would write null for infinite numbers.
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

// `JSON.parse` reads 1e999 as Infinity. Writing 1e999 back distinguishes it from null.
function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'null';
  return value > 0 ? '1e999' : '-1e999';
}

const NEEDS_NO_ESCAPE = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Returns the same string as `JSON.stringify(text)`, which escapes lone surrogates. */
export function quote(text: string): string {
  // Concatenation is several times faster than `JSON.stringify`, and most strings need no escapes.
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}

// On Node 24 and later, V8's JSON.parse may return a wrong member name after it has parsed an escaped one, even a name
// from another organisation's JSON. JSON.parse therefore never receives a backslash in a member name.

export const ESCAPED_NAMES_MAX = 1_000;

export class EscapedNamesError extends Error {
  constructor() {
    const most = ESCAPED_NAMES_MAX.toLocaleString('en');
    super(`must not have more than ${most} member names with quotes, backslashes or control characters`);
  }
}

/**
 * Parses bodies, responses and stored rows. Use this instead of `JSON.parse` in `src/`.
 * @throws SyntaxError, EscapedNamesError
 */
export function parseJsonText(text: string): unknown {
  if (!mayHaveEscapedName(text)) return JSON.parse(text) as unknown;
  const names = new PlaceholderNames();
  const value = JSON.parse(resolveNames(text, names)) as unknown;
  return names.isUsed ? restoreNames(value, names) : value;
}

/** Resolves the escapes of a JSON string without its quotes. Malformed escapes remain unchanged. */
export function resolveEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (_, character: string, code: string | undefined) =>
    code === undefined ? (ESCAPED[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const ESCAPE = /\\(["\\/bfnrt]|u([\da-fA-F]{4}))/g;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const HAS_NO_CONTROL_CHARACTER = /^[ -\uffff]*$/;
const NEEDS_NO_ESCAPE = /^[ !#-[\]-\uffff]*$/;

const REFUSED = '\0';

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COLON = 0x3a;

function isStringContent(written: string): boolean {
  return HAS_NO_CONTROL_CHARACTER.test(written) && !written.replaceAll(ESCAPE, '').includes('\\');
}

/** Returns whether a member name may contain a backslash. Exact for valid JSON. */
function mayHaveEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = findStringEnd(text, at);
    if (isColonNext(text, at + 1)) return true;
  }
  return false;
}

function findStringEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at += 1;
  }
  return at;
}

function isColonNext(text: string, from: number): boolean {
  let at = from;
  while (isWhiteSpace(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Replaces escaped names, if possible with names of the same length so that error positions stay correct. */
function resolveNames(text: string, names: PlaceholderNames): string {
  const parts: string[] = [];
  let copied = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', start)) {
    const end = findStringEnd(text, start + 1);
    if (isColonNext(text, end + 1)) {
      const written = text.slice(start + 1, end);
      const name = names.write(written);
      if (name !== written) {
        parts.push(text.slice(copied, start + 1), name, '"', ' '.repeat(Math.max(0, written.length - name.length)));
        copied = end + 1;
      }
    }
    start = end + 1;
  }
  return parts.join('') + text.slice(copied);
}

/** Maps escaped names to placeholders that start with MARK. Real names that start with MARK get a placeholder too. */
class PlaceholderNames {
  private readonly placeholders = new Map<string, string>();
  private readonly names = new Map<string, string>();
  private count = 0;

  get isUsed(): boolean {
    return this.names.size > 0;
  }

  write(written: string): string {
    if (!written.includes('\\') && !written.startsWith(MARK)) return written;
    if (!isStringContent(written)) return REFUSED;
    const name = resolveEscapes(written);
    return NEEDS_NO_ESCAPE.test(name) && !name.startsWith(MARK) ? name : this.toPlaceholder(name);
  }

  has(placeholder: string): boolean {
    return this.names.has(placeholder);
  }

  read(placeholder: string): string | undefined {
    return this.names.get(placeholder);
  }

  private toPlaceholder(name: string): string {
    this.count += 1;
    if (this.count > ESCAPED_NAMES_MAX) throw new EscapedNamesError();
    const known = this.placeholders.get(name);
    if (known !== undefined) return known;
    const placeholder = `${MARK}${this.names.size.toString(36)}`;
    this.placeholders.set(name, placeholder);
    this.names.set(placeholder, name);
    return placeholder;
  }
}

const MARK = '\uf8ff';

/** Restores the names in all objects. Iterative because the JSON may be deeply nested. */
function restoreNames(root: unknown, names: PlaceholderNames): unknown {
  const top = [root];
  const open: object[] = [top];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
      if (typeof value !== 'object' || value === null) continue;
      const restored = restoreOwnNames(value, names);
      // Assigning to `__proto__` would change the prototype.
      if (restored !== value) Object.defineProperty(holder, key, { value: restored });
      open.push(restored);
    }
  }
  return top[0];
}

function restoreOwnNames(object: object, names: PlaceholderNames): object {
  if (Array.isArray(object) || !Object.keys(object).some((name) => names.has(name))) return object;
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names.read(name) ?? name, value as unknown]),
  );
}

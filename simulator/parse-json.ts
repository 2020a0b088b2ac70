// On Node 24 and later, V8's JSON.parse may return a wrong member name after it has parsed an escaped one. This parser
// therefore resolves escapes in member names before it calls JSON.parse.

/** Parses JSON. Returns undefined, which JSON cannot represent, if the text is malformed. */
export function parseJson(text: string): unknown {
  try {
    return parseStrictly(text);
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError if the text is malformed */
export function parseStrictly(text: string): unknown {
  if (!hasEscapedName(text)) return JSON.parse(text) as unknown;
  const names = new Map<string, string>();
  const value = JSON.parse(resolveNames(text, names)) as unknown;
  if (names.size === 0) return value;
  return restoreNames(value, new Map([...names].map(([name, placeholder]) => [placeholder, name])));
}

/** Resolves the escapes of a JSON string without its quotes. */
export function resolveEscapes(text: string): string {
  return text.replaceAll(escapePattern, (_, character: string, code: string | undefined) =>
    code === undefined ? (escaped[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const escapePattern = /\\(["\\/bfnrt]|u([\da-fA-F]{4}))/g;
const escaped: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const hasNoControlCharacter = /^[ -\uffff]*$/;
const needsNoEscape = /^[ !#-[\]-\uffff]*$/;
/** Prefix of placeholders. A real name with this prefix is also replaced by a placeholder. */
const mark = '\uf8ff';
/** A control character, which makes JSON.parse fail. */
const refused = '\0';

function hasEscapedName(text: string): boolean {
  for (let index = text.indexOf('\\'); index !== -1; index = text.indexOf('\\', index)) {
    index = findStringEnd(text, index);
    if (isName(text, index)) return true;
  }
  return false;
}

function findStringEnd(text: string, from: number): number {
  let index = from;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

/** Returns whether a colon follows the string that ends at `end`. */
function isName(text: string, end: number): boolean {
  let index = end + 1;
  while (index < text.length && ' \t\r\n'.includes(text.charAt(index))) index += 1;
  return text[index] === ':';
}

function resolveNames(text: string, names: Map<string, string>): string {
  let resolved = '';
  let copied = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = findStringEnd(text, start + 1);
    if (isName(text, end)) {
      resolved += text.slice(copied, start + 1) + writeName(text.slice(start + 1, end), names);
      copied = end;
    }
    start = text.indexOf('"', end + 1);
  }
  return resolved + text.slice(copied);
}

function writeName(written: string, names: Map<string, string>): string {
  if (!written.includes('\\') && !written.startsWith(mark)) return written;
  if (!hasNoControlCharacter.test(written) || written.replaceAll(escapePattern, '').includes('\\')) return refused;
  const name = resolveEscapes(written);
  if (needsNoEscape.test(name) && !name.startsWith(mark)) return name;
  const placeholder = names.get(name) ?? `${mark}${names.size}`;
  names.set(name, placeholder);
  return placeholder;
}

function restoreNames(root: unknown, names: ReadonlyMap<string, string>): unknown {
  const top = [root];
  const open: object[] = [top];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
      if (typeof value !== 'object' || value === null) continue;
      const restored = restoreOwnNames(value, names);
      // An assignment to __proto__ would change the prototype.
      if (restored !== value) Object.defineProperty(holder, key, { value: restored });
      open.push(restored);
    }
  }
  return top[0];
}

function restoreOwnNames(object: object, names: ReadonlyMap<string, string>): object {
  if (Array.isArray(object) || !Object.keys(object).some((name) => names.has(name))) return object;
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value as unknown]));
}

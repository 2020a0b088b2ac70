/** Prefix of a typed text that matches no choice. No code of a list starts with it. */
const MARK = '\u0000';

/** Encodes a text that matches no choice, so that the form keeps it but does not send it. */
export function toUnmatched(text: string): string {
  return MARK + text;
}

/** Returns the typed text of an encoded value, or null for a choice. */
export function readUnmatched(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : null;
}

/** Returns the error message for a text that matches no choice. */
export function describeUnmatched(text: string): string {
  return `“${text}” is not one of the choices. Choose one from the list.`;
}

/** Returns the errors of unmatched texts by field. A form with such an error is not sent. */
export function findUnmatched(values: object, path = ''): Record<string, string> {
  const found = Object.entries(values).map(([name, value]: [string, unknown]) => {
    const text = readUnmatched(value);
    if (text !== null) return { [path + name]: describeUnmatched(text) };
    return typeof value === 'object' && value !== null ? findUnmatched(value, `${path}${name}.`) : {};
  });
  return Object.assign({}, ...found) as Record<string, string>;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Returns the choice whose code or label equals the text, else the only choice offered for it. */
export function findNamed(text: string, choices: readonly Choice[], offered: readonly Choice[]): Choice | null {
  const named = text.toLowerCase();
  const equal = choices.filter(({ value, label }) => [value, label].some((one) => one.toLowerCase() === named));
  const found = equal.length > 0 ? equal : offered;
  return found.length === 1 ? found[0] : null;
}

/** Before a text that was typed into a field of choices and names none of them. No code of a list begins with it. */
const MARK = '\u0000';

/** What a form holds of such a text: what its user sees in the field is neither lost nor sent. */
export function toUnchosen(text: string): string {
  return MARK + text;
}

/** The text as it was typed; null of a value that was chosen, and of none. */
export function readUnchosen(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : null;
}

/** What stands next to the field. */
export function refuseUnchosen(text: string): string {
  return `“${text}” is none of the choices: choose one of the list.`;
}

/** What is wrong with the texts that were not chosen, by their fields: as long as there is one, nothing is sent. */
export function findUnchosen(values: object, path = ''): Record<string, string> {
  const found = Object.entries(values).map(([name, value]: [string, unknown]) => {
    const text = readUnchosen(value);
    if (text !== null) return { [path + name]: refuseUnchosen(text) };
    return typeof value === 'object' && value !== null ? findUnchosen(value, `${path}${name}.`) : {};
  });
  return Object.assign({}, ...found) as Record<string, string>;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The one choice that a text names: by its code or label, else as the only one that is offered for it. */
export function findNamed(text: string, choices: readonly Choice[], offered: readonly Choice[]): Choice | null {
  const named = text.toLowerCase();
  const equal = choices.filter(({ value, label }) => [value, label].some((one) => one.toLowerCase() === named));
  const found = equal.length > 0 ? equal : offered;
  return found.length === 1 ? found[0] : null;
}

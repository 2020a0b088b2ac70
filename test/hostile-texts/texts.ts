/** A text of `start`, as many repetitions of `unit` as fit, and `end`. */
interface GrowingText {
  readonly name: string;
  readonly start: string;
  readonly unit: string;
  readonly end: string;
}

/** Texts with superlinear time in typical patterns, comparisons or Unicode normalisation. */
const HOSTILE: readonly GrowingText[] = [
  { name: 'opening brackets', start: 'x', unit: '(', end: '' },
  { name: 'spaces within', start: 'x', unit: ' ', end: 'x' },
  { name: 'zeros before a letter', start: '1', unit: '0', end: 'x' },
  { name: 'labels of a domain', start: 'a@', unit: '.a', end: '@' },
  { name: 'combining marks in the wrong order', start: 'a', unit: '\u0315\u0300', end: '' },
  { name: 'characters that NFKC makes longer', start: '', unit: '\uFDFA', end: '' },
  { name: 'separators', start: 'a', unit: ',; ', end: '' },
  { name: 'slashes before a letter', start: 'x', unit: '/', end: 'x' },
  { name: 'escaped quotes', start: '"', unit: '\\"', end: '' },
  { name: 'letters before a sign', start: '', unit: 'a', end: '!' },
  { name: 'invisible characters', start: 'a', unit: '\u200B', end: 'a' },
  { name: 'letters of two alphabets', start: '', unit: 'a\u0430', end: '' },
];

export interface SizedText {
  readonly name: string;
  readonly text: string;
}

/** Creates the twelve hostile texts with at most `bytesMax` bytes according to `measure`. */
export function createHostileTexts(bytesMax: number, measure: (text: string) => number): SizedText[] {
  return HOSTILE.map(({ name, start, unit, end }) => {
    const count = Math.floor((bytesMax - measure(start + end)) / measure(unit));
    return { name, text: start + unit.repeat(count) + end };
  });
}

/** Creates one text with a part of each kind. It starts with a long part of kind `first`, for anchored patterns. */
export function createMixedText(bytesMax: number, measure: (text: string) => number, first = 0): SizedText {
  const start = createHostileTexts(Math.floor(bytesMax / 4), measure)[first];
  const parts = createHostileTexts(Math.floor((bytesMax * 3) / 4 / HOSTILE.length), measure);
  return { name: `${start.name}, then parts of all`, text: [start, ...parts].map(({ text }) => text).join('') };
}

/** Kinds of texts that are probably slowest for a field, by its name. */
const KINDS_BY_FIELD: readonly (readonly [field: RegExp, kinds: readonly string[]])[] = [
  [/brn$|name$|description$/i, ['opening brackets', 'separators']],
  [/email$/i, ['labels of a domain', 'separators']],
  [/password$|^\/(?:current|next)$/i, ['characters that NFKC makes longer']],
  [/phone$|tin$|postcode$/i, ['spaces within', 'separators', 'opening brackets']],
  [/amount|percent|search|^q$/i, ['zeros before a letter', 'separators', 'spaces within']],
  [/referenceId$|number$/i, ['invisible characters', 'separators', 'slashes before a letter']],
];

/**
 * Chooses a kind for a field. Fields with equal names share their code, so each occurrence gets another kind: first
 * those for its name, then the others starting at `turn`.
 */
export function chooseKind(field: string, { occurrence, turn }: { occurrence: number; turn: number }): number {
  const names = HOSTILE.map(({ name }) => name);
  const own = KINDS_BY_FIELD.find(([pattern]) => pattern.test(field))?.[1] ?? [];
  const rotated = names.map((_, index) => names[(index + turn) % names.length]);
  const order = [...own, ...rotated.filter((name) => !own.includes(name))];
  return names.indexOf(order[occurrence % order.length]);
}

export function createHarmlessText(bytesMax: number): SizedText {
  return { name: 'letters', text: 'a'.repeat(bytesMax) };
}

/** A text that grows: `start`, then `unit` as often as it fits, then `end`. */
interface GrowingText {
  readonly name: string;
  readonly start: string;
  readonly unit: string;
  readonly end: string;
}

/** Texts on which a pattern, a comparison or Unicode normalisation takes more than linear time, if anything does. */
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

/** The twelve hostile texts, each of at most `bytesMax` bytes as `measure` counts them. */
export function createHostileTexts(bytesMax: number, measure: (text: string) => number): SizedText[] {
  return HOSTILE.map(({ name, start, unit, end }) => {
    const count = Math.floor((bytesMax - measure(start + end)) / measure(unit));
    return { name, text: start + unit.repeat(count) + end };
  });
}

/** One text that has a part of each of the twelve. */
export function createMixedText(bytesMax: number, measure: (text: string) => number): SizedText {
  const parts = createHostileTexts(Math.floor(bytesMax / HOSTILE.length), measure);
  return { name: 'parts of all of them', text: parts.map(({ text }) => text).join('') };
}

/** A text that nothing is slow on. */
export function createHarmlessText(bytesMax: number): SizedText {
  return { name: 'letters', text: 'a'.repeat(bytesMax) };
}

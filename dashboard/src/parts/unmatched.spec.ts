import { describe, expect, it } from 'vitest';
import { findNamed, findUnmatched, readUnmatched, toUnmatched } from './unmatched';

const STATES = [
  { value: 'kedah', label: 'Kedah' },
  { value: 'selangor', label: 'Selangor' },
  { value: 'negeri-sembilan', label: 'Negeri Sembilan' },
];
const UNITS = [
  { value: 'M', label: 'M metre' },
  { value: 'KGM', label: 'KGM kilogram' },
];

describe('typed option', () => {
  it.each([
    ['KEDAH', STATES, STATES[0]],
    ['negeri-sembilan', STATES, STATES[2]],
    ['sembi', STATES, STATES[2]],
    ['se', STATES, null],
    ['Perak', STATES, null],
    // Kilogram also contains an m.
    ['m', UNITS, UNITS[0]],
    ['kilo', UNITS, UNITS[1]],
  ])('matches at most one option: %j', (text, choices, named) => {
    const offered = choices.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
    expect(findNamed(text, choices, offered)).toBe(named);
  });

  it('is reported for each field whose text matches no option', () => {
    const lines = [{ unit: 'KGM' }, { unit: toUnmatched('kilo'), tax: null, count: 1 }];
    expect(findUnmatched({ state: toUnmatched('Se'), country: 'MYS', documents: [{ lines }] })).toEqual({
      state: '“Se” is not one of the choices. Choose one from the list.',
      'documents.0.lines.1.unit': '“kilo” is not one of the choices. Choose one from the list.',
    });
    expect(readUnmatched(lines[1].unit)).toBe('kilo');
  });
});

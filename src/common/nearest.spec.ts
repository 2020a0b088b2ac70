import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeDistance, createSuggester, didYouMean, isWithinOneEdit } from './nearest.js';

const STATES = ['selangor', 'perak', 'perlis', 'pulau_pinang', 'kuala_lumpur', 'wilayah_persekutuan_kuala_lumpur'];
const spellings = STATES.map((state) => [state, state] as const);
const suggest = createSuggester(spellings, { isForgiving: true });

describe('createSuggester', () => {
  it.each([
    ['SELANGOR', ['selangor']],
    ['Pulau Pinang', ['pulau_pinang']],
    ['Sélangor', ['selangor']],
    ['selagnor', ['selangor']],
    ['slangor', ['selangor']],
    ['kuala-lumpur', ['kuala_lumpur']],
    ['lumpur', ['kuala_lumpur', 'wilayah_persekutuan_kuala_lumpur']],
    ['pera', ['perak']],
    ['perk', ['perak']],
    ['bavaria', []],
    ['', []],
    [' - ', []],
    ['x', []],
  ])('suggests for "%s" %j', (text, expected) => {
    expect(suggest(text)).toEqual(expected);
  });

  it('returns an exact match or at most three similar values', () => {
    const near = createSuggester(
      ['cat', 'bat', 'hat', 'rat', 'mat'].map((word) => [word, word] as const),
      { isForgiving: true },
    );
    expect(near('rat')).toEqual(['rat']);
    expect(near('zat')).toEqual(['cat', 'bat', 'hat']);
  });

  it('ignores similar values unless isForgiving is set', () => {
    const strict = createSuggester(spellings, { isForgiving: false });
    expect(strict('selagnor')).toEqual([]);
    expect(strict('Selangor')).toEqual(['selangor']);
  });

  it('returns no suggestion for a very long text', () => {
    expect(suggest(`selangor${' '.repeat(60)}`)).toEqual([]);
    expect(suggest('selangor'.repeat(100_000))).toEqual([]);
  });

  it('suggests every word after one typing error', () => {
    const slip = fc.tuple(fc.constantFrom(...STATES.slice(0, 5)), fc.nat(), fc.constantFrom('drop', 'swap'));
    fc.assert(
      fc.property(slip, ([word, seed, kind]) => {
        const index = seed % (word.length - 1);
        const characters = word.split('');
        if (kind === 'drop') characters.splice(index, 1);
        else characters.splice(index, 2, characters[index + 1], characters[index]);
        expect(suggest(characters.join(''))).toContain(word);
      }),
    );
  });
});

describe('computeDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['abc', 'xbc', 1],
    ['kitten', 'sitting', 3],
  ])('from "%s" to "%s" returns %d', (one, other, distance) => {
    expect(computeDistance(one, other)).toBe(distance);
  });

  it('is symmetric and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (one, other) => {
        expect(computeDistance(one, other)).toBe(computeDistance(other, one));
        expect(computeDistance(one, other)).toBeLessThanOrEqual(Math.max(one.length, other.length));
      }),
    );
  });
});

describe('didYouMean', () => {
  it.each([
    [[], undefined],
    [['a'], 'did you mean a?'],
    [['a', 'b'], 'did you mean a or b?'],
    [['a', 'b', 'c'], 'did you mean a, b or c?'],
  ])('formats %j as %s', (suggestions, text) => {
    expect(didYouMean(suggestions)).toBe(text);
  });
});

describe('isWithinOneEdit', () => {
  it('agrees with computeDistance', () => {
    const word = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isWithinOneEdit(one, other)).toBe(computeDistance(one, other) <= 1);
      }),
      { numRuns: 2_000 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { INDUSTRIES_FOUND_MAX, searchIndustries } from './industry-search.js';

const codesFor = (query: string): string[] => searchIndustries(query).map(({ code }) => code);

describe('searchIndustries', () => {
  it('finds the codes that digits begin, in their order', () => {
    expect(codesFor('46510')).toEqual(['46510']);
    expect(codesFor(' 4651 ')).toEqual(['46510']);
    expect(codesFor('62')).toEqual(codesFor('62').toSorted());
  });

  it.each([
    ['computers hardware wholesale', '46510'],
    ['Wholesale of COMPUTER hardware', '46510'],
    ['maize', '01111'],
    ['dental', '86203'],
  ])('finds for %j first of all %s', (query, code) => {
    expect(codesFor(query)[0]).toBe(code);
  });

  it('puts what has all the words before what has some of them', () => {
    const found = searchIndustries('retail sale computers');
    const hasAll = found.map(({ description }) => /retail/i.test(description) && /computer/i.test(description));
    expect(hasAll[0]).toBe(true);
    expect(hasAll.lastIndexOf(true)).toBeLessThan(hasAll.indexOf(false));
  });

  it('finds nothing for what says nothing, and never more than a page', () => {
    for (const query of ['', '  ', 'a', '!!', 'qwertyuiop']) expect(codesFor(query)).toEqual([]);
    expect(codesFor('of')).toHaveLength(INDUSTRIES_FOUND_MAX);
  });
});

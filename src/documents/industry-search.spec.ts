import { describe, expect, it } from 'vitest';
import { INDUSTRIES_FOUND_MAX, searchIndustries } from './industry-search.js';
import { INDUSTRY_WORDS } from './industry-search.js';

const codesFor = (query: string): string[] => searchIndustries(query).map(({ code }) => code);

describe('searchIndustries', () => {
  it('finds the codes that start with the digits, in code order', () => {
    expect(codesFor('46510')).toEqual(['46510']);
    expect(codesFor(' 4651 ')).toEqual(['46510']);
    expect(codesFor('62')).toEqual(codesFor('62').toSorted());
  });

  it.each([
    ['computers hardware wholesale', '46510'],
    ['Wholesale of COMPUTER hardware', '46510'],
    ['maize', '01111'],
    ['dental', '86203'],
  ])('lists first for %j: %s', (query, code) => {
    expect(codesFor(query)[0]).toBe(code);
  });

  it('ranks descriptions with all words first', () => {
    const found = searchIndustries('retail sale computers');
    const hasAll = found.map(({ description }) => /retail/i.test(description) && /computer/i.test(description));
    expect(hasAll[0]).toBe(true);
    expect(hasAll.lastIndexOf(true)).toBeLessThan(hasAll.indexOf(false));
  });

  it.each([
    ['laundry', '96011'],
    ['clinic', '86201'],
    ['grocery', '47111'],
    ['kedai runcit', '47111'],
    ['restoran', '56101'],
    ['workshop', '45201'],
    ['lawyer', '69100'],
    ['handphone', '47413'],
    ['catering', '56210'],
    ['hair salon', '96020'],
    ['car repair', '45201'],
    ['bakery', '47216'],
    ['tuition centre', '85491'],
    ['accountant', '69200'],
    ['plumber', '43224'],
    ['florist', '47734'],
    ['software', '62010'],
    ['courier', '53200'],
    ['cleaning', '81210'],
    ['farm', '01500'],
    ['My Laundry Shop', '96011'],
  ])('finds for the common name %j the code %s among the first three', (query, code) => {
    expect(codesFor(query).slice(0, 3)).toContain(code);
  });

  it.each(INDUSTRY_WORDS)('ranks the codes of each common name high: %j', (list, ...codes) => {
    for (const name of list.split(', ')) {
      expect(codesFor(name).slice(0, 6), name).toEqual(expect.arrayContaining(codes));
    }
  });

  it('contains each common name once', () => {
    const all = INDUSTRY_WORDS.flatMap(([list]) => list.split(', '));
    expect(all.toSorted()).toEqual([...new Set(all)].toSorted());
  });

  it('returns at most 20 results', () => {
    for (const query of ['', '  ', 'a', '!!', 'qwertyuiop']) expect(codesFor(query)).toEqual([]);
    expect(codesFor('of')).toHaveLength(INDUSTRIES_FOUND_MAX);
  });
});

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  INDUSTRIES,
  STATE_SLUGS,
  isClassification,
  isCountry,
  isMalaysianState,
  isMsic,
  isTaxType,
  isUnit,
  findStateCode,
} from './code-lists.js';

describe('state list', () => {
  it('has one slug for each of the 17 codes, in code order', () => {
    const codes = Array.from({ length: 17 }, (_, index) => String(index + 1).padStart(2, '0'));
    expect(STATE_SLUGS.map((slug) => findStateCode(slug))).toEqual(codes);
  });

  it.each([
    ['malacca', '04'],
    ['penang', '07'],
    ['kuala_lumpur', '14'],
    ['wp_labuan', '15'],
    ['putrajaya', '16'],
    ['na', '17'],
  ])('maps the alias %s to %s', (alias, code) => {
    expect(findStateCode(alias)).toBe(code);
  });

  it.each(['', 'Selangor', 'kuala lumpur', '10', 'constructor', '__proto__'])('has no state "%s"', (text) => {
    expect(findStateCode(text)).toBeNull();
  });

  it('classifies only 01 to 16 as Malaysian', () => {
    const codes = ['00', '01', '16', '17', '1', ''];
    expect(codes.filter((code) => isMalaysianState(code))).toEqual(['01', '16']);
  });
});

describe('code lists', () => {
  it.each([
    ['country', isCountry, ['MYS', 'SGP', 'XKX'], ['mys', 'MY', '', 'ZZZ']],
    ['tax type', isTaxType, ['01', '06', 'E'], ['07', '1', 'e', '']],
    ['classification', isClassification, ['001', '004', '022', '045'], ['000', '046', '22', '']],
    ['unit', isUnit, ['C62', 'KGM', '10', 'GT'], ['c62', 'KILO', '']],
    ['msic', isMsic, ['00000', '16221', '46510', '99000'], ['4651', '123456', '']],
  ])('accepts a %s exactly as the authority lists it', (_name, isListed, listed, unlisted) => {
    expect([...listed, ...unlisted].filter((code) => isListed(code))).toEqual(listed);
  });
});

it.each([
  ['47891', 'Retail sale of carpets and rugs via stalls or markets'],
  ['47892', 'Retail sale of books via stalls or markets'],
])("industry %s has the authority's description", (code, description) => {
  expect(INDUSTRIES.find((row) => row.code === code)?.description).toBe(description);
});

it('code lists pass the checks of scripts/code-lists.mjs', () => {
  const script = fileURLToPath(new URL('../../scripts/code-lists.mjs', import.meta.url));
  // Throws with the output of the script if a list is wrong.
  const output = execFileSync(process.execPath, [script], { encoding: 'utf8' });
  expect(output.match(/: correct/g)).toHaveLength(6);
});

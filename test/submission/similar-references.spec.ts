import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSearchKey } from '../../src/documents/search-key.js';
import type { DocumentType } from '../../src/documents/simplified-document.js';
import { warnOfSimilar } from '../../src/submission/stored-documents.js';
import { countRuns } from '../support/random.js';

const RUNS = countRuns(2_000);

function toDocument(referenceId: string, documentType: DocumentType = 'invoice') {
  const document = {
    documentType,
    referenceId,
    documentDate: '',
    relatedInvoice: null,
    recipient: null,
  };
  return { document, numberKey: toSearchKey(referenceId) };
}

/** Returns the results for one request and for each number when the other is stored. */
function warnsOf(one: string, other: string): boolean[] {
  return [
    warnOfSimilar([toDocument(one), toDocument(other)], []).length === 1,
    warnOfSimilar([toDocument(one)], [{ position: 0, referenceId: other }]).length === 1,
    warnOfSimilar([toDocument(other)], [{ position: 0, referenceId: one }]).length === 1,
  ];
}

const toWide = (text: string): string =>
  text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
const CHANGES = [
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
  (text: string) => text.normalize('NFC'),
  (text: string) => text.normalize('NFD'),
  toWide,
];
const characters = fc.constantFrom(...Array.from('abcXYZ019-/_ éÇåøŁßıœαΩςдЁйԱօაＡ１–’①ﬁ中กএ한'));
const numbers = fc.string({ unit: characters, minLength: 1, maxLength: 12 });

describe('document numbers', () => {
  it('are similar if they differ only by case, width or composition', () => {
    fc.assert(
      fc.property(numbers, fc.array(fc.constantFrom(...CHANGES), { maxLength: 4 }), (number, changes) => {
        const changed = changes.reduce((text, change) => change(text), number);
        expect(toSearchKey(changed)).toBe(toSearchKey(number));
        expect(warnsOf(number, changed)).toEqual([true, true, true]);
      }),
      { numRuns: RUNS },
    );
  });

  it('are similar within one request under the same conditions as with a stored number', () => {
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        expect(new Set(warnsOf(one, other)).size).toBe(1);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['accents', 'CAFE-1', 'CAFÉ-1'],
    ['a long dash', 'INV-1', 'INV–1'],
    ['a digit', 'INV-1', 'INV-2'],
  ])('are not similar if they differ by %s', (_difference, one, other) => {
    expect(warnsOf(one, other)).toEqual([false, false, false]);
  });

  it('are not similar if their document types differ', () => {
    expect(warnOfSimilar([toDocument('inv-1'), toDocument('INV-1', 'credit_note')], [])).toEqual([]);
  });
});

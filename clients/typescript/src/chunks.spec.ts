import { describe, expect, it } from 'vitest';
import { cutIntoChunks, findRepeated } from './chunks.js';
import type { SubmitDocument } from './types.js';

const document = (referenceId: string, overrides: Partial<SubmitDocument> = {}): SubmitDocument => ({
  documentType: 'invoice',
  referenceId,
  document_date: '2026-01-31',
  lineItems: [{ description: 'Receipts', quantity: 1, unitPrice: 10 }],
  ...overrides,
});
const list = (count: number): SubmitDocument[] => Array.from({ length: count }, (_, index) => document(`A-${index}`));
const cut = (documents: SubmitDocument[], perRequest = 100) =>
  cutIntoChunks({ submission_type: 'consolidated', documents }, perRequest);

describe('a list is cut', () => {
  it.each([
    [0, []],
    [1, [1]],
    [100, [100]],
    [101, [100, 1]],
    [230, [100, 100, 30]],
  ])('of %i documents', (count, sizes) => {
    const documents = list(count);
    const chunks = cut(documents);
    expect(chunks.map((chunk) => chunk.documents.length)).toEqual(sizes);
    expect(chunks.flatMap((chunk) => chunk.documents)).toEqual(documents);
    expect(chunks.map(({ number, firstIndex }) => [number, documents[firstIndex]?.referenceId])).toEqual(
      sizes.map((_, index) => [index + 1, `A-${index * 100}`]),
    );
  });

  it('where a body would be too large for the common limits, counted in bytes', () => {
    const large = (name: string) => document(name, { paymentTerms: '€'.repeat(40_000) });
    const chunks = cut([document('A'), large('B'), large('C'), large('D'), document('E')]);
    expect(chunks.map((chunk) => chunk.documents.map(({ referenceId }) => referenceId))).toEqual([
      ['A', 'B'],
      ['C'],
      ['D', 'E'],
    ]);
    for (const { text } of chunks) expect(Buffer.byteLength(text)).toBeLessThan(256_000);
  });

  it('equally when the list is longer, up to its end', () => {
    const before = cut(list(30), 7);
    const after = cut(list(40), 7);
    expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
  });
});

describe('a body', () => {
  it('is the request', () => {
    const documents = list(3);
    expect(JSON.parse(cut(documents)[0].text)).toEqual({ submission_type: 'consolidated', documents });
  });

  it('is the same text in whichever order the members are', () => {
    const { documentType, ...rest } = document('A');
    const [line] = rest.lineItems;
    const reversed = Object.fromEntries(Object.entries(line).reverse());
    const other = { ...rest, lineItems: [reversed], documentType } as unknown as SubmitDocument;
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(document('A')));
    expect(cut([other])).toMatchObject([{ text: cut([document('A')])[0].text }]);
  });

  it('is another text when the order of lines or any value differs', () => {
    const lines = [
      { description: 'A', quantity: 1, unitPrice: 1 },
      { description: 'B', quantity: 1, unitPrice: 1 },
    ];
    const texts = [
      document('A'),
      document('A', { totalRoundingAmount: 0.01 }),
      document('A', { lineItems: lines }),
      document('A', { lineItems: lines.toReversed() }),
    ].map((one) => cut([one])[0].text);
    expect(new Set(texts).size).toBe(4);
  });
});

describe('a repeated document', () => {
  it.each([
    ['is found by type and number', [document('A'), document('B'), document('A')], [0, 2]],
    ['is found as the service compares numbers', [document('A'), document(' A ')], [0, 1]],
    ['is not one of another type', [document('A'), document('A', { documentType: 'credit_note' })], null],
  ])('%s', (_, documents, positions) => {
    expect(findRepeated(documents)).toEqual(positions);
  });
});

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

describe('cutIntoChunks', () => {
  it.each([
    [0, []],
    [1, [1]],
    [100, [100]],
    [101, [100, 1]],
    [230, [100, 100, 30]],
  ])('divides %i documents into chunks of %j', (count, sizes) => {
    const documents = list(count);
    const chunks = cut(documents);
    expect(chunks.map((chunk) => chunk.documents.length)).toEqual(sizes);
    expect(chunks.flatMap((chunk) => chunk.documents)).toEqual(documents);
    expect(chunks.map(({ number, firstIndex }) => [number, documents[firstIndex]?.referenceId])).toEqual(
      sizes.map((_, index) => [index + 1, `A-${index * 100}`]),
    );
  });

  it('starts a new chunk before a body exceeds the byte limit', () => {
    const large = (name: string) => document(name, { paymentTerms: '€'.repeat(40_000) });
    const chunks = cut([document('A'), large('B'), large('C'), large('D'), document('E')]);
    expect(chunks.map((chunk) => chunk.documents.map(({ referenceId }) => referenceId))).toEqual([
      ['A', 'B'],
      ['C'],
      ['D', 'E'],
    ]);
    for (const { text } of chunks) expect(Buffer.byteLength(text)).toBeLessThan(256_000);
  });

  it('returns the same chunks when documents are appended to the list', () => {
    const before = cut(list(30), 7);
    const after = cut(list(40), 7);
    expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
  });
});

describe('chunk body', () => {
  it('contains the request', () => {
    const documents = list(3);
    expect(JSON.parse(cut(documents)[0].text)).toEqual({ submission_type: 'consolidated', documents });
  });

  it('does not depend on the order of members', () => {
    const { documentType, ...rest } = document('A');
    const [line] = rest.lineItems;
    const reversed = Object.fromEntries(Object.entries(line).reverse());
    const other = { ...rest, lineItems: [reversed], documentType } as unknown as SubmitDocument;
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(document('A')));
    expect(cut([other])).toMatchObject([{ text: cut([document('A')])[0].text }]);
  });

  it('depends on values and on the order of lines', () => {
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

describe('findRepeated', () => {
  it.each([
    ['compares type and number', [document('A'), document('B'), document('A')], [0, 2]],
    ['trims numbers like the service', [document('A'), document(' A ')], [0, 1]],
    ['ignores equal numbers of different types', [document('A'), document('A', { documentType: 'credit_note' })], null],
  ])('%s', (_, documents, positions) => {
    expect(findRepeated(documents)).toEqual(positions);
  });
});

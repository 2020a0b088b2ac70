import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildAuthorityDocument } from './authority-document.js';
import { findSizeProblem, findSizeProblemWith } from './document-size.js';
import {
  mayBeTooLarge,
  DOCUMENT_BYTES_MAX,
  DOCUMENT_LINES_MAX,
  estimateWireBytesMax,
  LINE_BYTES_MIN,
  USUAL_DESCRIPTION_CHARACTERS,
  USUAL_LINES_MAX,
} from './wire-size.js';
import { SIGNATURE_BYTES_MAX } from './signature.js';
import type { LineItem, SimplifiedDocument, Supplier } from './simplified-document.js';

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./golden/${name}.json`, import.meta.url), 'utf8'));
}
const supplier = golden('supplier') as Supplier;
const { document: invoice } = golden('invoice.input') as { document: SimplifiedDocument };
const [line] = invoice.lineItems;

function builtBytes(document: SimplifiedDocument, issuer: Supplier): number {
  const rest = { issuedAt: new Date(0), parentAuthorityUuid: null, version: '1.0' as const };
  const period = { start: invoice.documentDate, end: invoice.documentDate };
  return buildAuthorityDocument({ document, supplier: issuer, period, ...rest }).length;
}

/** Builds a document of an exact size with the golden supplier: whole lines, and a longer last description. */
function buildDocument(bytes: number): SimplifiedDocument {
  const withLines = (lineItems: LineItem[]): SimplifiedDocument => ({ ...invoice, lineItems });
  const lineItems: LineItem[] = [];
  while (builtBytes(withLines([...lineItems, line]), supplier) < bytes - 400)
    lineItems.push({ ...line, description: 'x'.repeat(100) });
  const missing = bytes - builtBytes(withLines(lineItems), supplier);
  const last = lineItems.length - 1;
  lineItems[last] = { ...lineItems[last], description: 'x'.repeat(100 + missing) };
  return withLines(lineItems);
}

describe('findSizeProblemWith', () => {
  const limit = DOCUMENT_BYTES_MAX - SIGNATURE_BYTES_MAX;

  it('rejects a document that exceeds the limit by one byte', () => {
    const [fits, passes] = [buildDocument(limit), buildDocument(limit + 1)];
    expect(builtBytes(fits, supplier)).toBe(limit);
    expect(findSizeProblemWith(supplier, fits)).toBeNull();
    expect(findSizeProblemWith(supplier, passes)).toEqual({
      rule: 'document_size',
      message: expect.stringMatching(
        /^must be at most 300,000 bytes in the authority's form, here 300,001 with its signature; the first \d+ of its \d+ lines fit$/,
      ) as string,
      hint: expect.stringMatching(
        /^split it into documents of at most \d+ lines, each with its own referenceId, and divide .+ among them$/,
      ) as string,
    });
    // Both documents would fit with a smaller supplier.
    for (const document of [fits, passes]) {
      expect(mayBeTooLarge(document, estimateWireBytesMax(document))).toBe(true);
      expect(findSizeProblem(document)).toBeNull();
    }
  });
});

describe('size error', () => {
  const anyLine = fc.record({
    description: fc.nat({ max: 300 }).map((length) => 'x'.repeat(length)),
    taxAmount: fc.constantFrom(0, 0.08, 8, 800),
    discount: fc.constantFrom(0, 0.05),
  });
  const manyLines = fc
    .array(anyLine, { minLength: 450, maxLength: 454, size: 'max' })
    .map((lines) => lines.map((each) => ({ ...line, ...each })));
  const readCount = (message = ''): number => Number(/the first (\d+) of its/.exec(message)?.[1]);

  it('states how many of the first lines fit', () => {
    fc.assert(
      fc.property(manyLines, (lineItems) => {
        const count = readCount(findSizeProblemWith(supplier, { ...invoice, lineItems })?.message);
        const first = (length: number): SimplifiedDocument => ({ ...invoice, lineItems: lineItems.slice(0, length) });
        expect(findSizeProblemWith(supplier, first(count))).toBeNull();
        expect(findSizeProblemWith(supplier, first(count + 1))).not.toBeNull();
      }),
      { numRuns: 20 },
    );
  });

  it('states a number of lines that fits every supplier if the supplier is unknown', () => {
    const lineItems = Array.from({ length: 454 }, () => ({ ...line, description: 'x'.repeat(200) }));
    const count = readCount(findSizeProblem({ ...invoice, lineItems })?.message);
    const first = { ...invoice, lineItems: lineItems.slice(0, count) };
    expect(count).toBeGreaterThan(200);
    expect(mayBeTooLarge(first, estimateWireBytesMax(first))).toBe(false);
  });

  it('suggests dividing the discount and the rounding', () => {
    const lineItems = Array.from({ length: 454 }, () => ({ ...line, description: 'x'.repeat(200) }));
    const { hint } = findSizeProblem({ ...invoice, totalDiscountAmount: 5, lineItems }) ?? {};
    expect(hint).toMatch(/, and divide totalDiscountAmount and totalRoundingAmount among them$/);
  });
});

describe('USUAL_LINES_MAX', () => {
  it('is a number of lines that fits every supplier', () => {
    const usual = {
      ...line,
      description: 'x'.repeat(USUAL_DESCRIPTION_CHARACTERS),
      quantity: 2,
      unitPrice: 100,
      discount: 10,
      lineTotal: 190,
      taxAmount: 15.2,
    };
    const wide = (characters: number): string => '\u{20000}'.repeat(characters);
    const longest: Supplier = {
      ...supplier,
      name: wide(300),
      activity: wide(300),
      addressLines: [wide(150), wide(150)],
      city: wide(50),
    };
    const lineItems = Array.from({ length: USUAL_LINES_MAX }, () => usual);
    expect(findSizeProblemWith(longest, { ...invoice, lineItems })).toBeNull();
  });
});

describe('DOCUMENT_LINES_MAX', () => {
  const shortest: LineItem = {
    ...line,
    description: 'x',
    quantity: 1,
    unitPrice: 0,
    discount: 0,
    lineTotal: 0,
    taxAmount: 0,
    taxType: null,
    unitCode: 'GT',
  };
  const bare: SimplifiedDocument = {
    ...invoice,
    submissionType: 'consolidated',
    recipient: null,
    referenceId: '1',
    totalDiscountAmount: 0,
  };
  const short: Supplier = {
    ...supplier,
    name: 'x',
    activity: 'x',
    addressLines: ['x'],
    city: 'x',
    email: null,
    phone: '+1234567',
  };

  it('is the maximum number of lines that fit', () => {
    const measure = (count: number): number =>
      buildAuthorityDocument({
        document: { ...bare, lineItems: Array.from({ length: count }, () => shortest) },
        supplier: short,
        issuedAt: new Date(0),
        period: null,
        parentAuthorityUuid: null,
        version: '1.0',
      }).length;
    expect(measure(DOCUMENT_LINES_MAX)).toBeLessThanOrEqual(DOCUMENT_BYTES_MAX);
    expect(measure(DOCUMENT_LINES_MAX + 1)).toBeGreaterThan(DOCUMENT_BYTES_MAX);
    expect(measure(2) - measure(1)).toBeGreaterThanOrEqual(LINE_BYTES_MIN);
  });
});

describe('mayBeTooLarge', () => {
  it('returns false for a document of usual length', () => {
    expect(mayBeTooLarge(invoice, estimateWireBytesMax(invoice))).toBe(false);
  });
});

describe('findSizeProblem', () => {
  it('accepts a document that fits some supplier', () => {
    const shortest: Supplier = {
      ...supplier,
      name: 'A',
      activity: 'B',
      addressLines: ['C'],
      email: null,
      phone: '12345678',
    };
    const types = fc.constantFrom(null, '01', '02', 'E');
    // Line counts near the limit, where a slightly wrong bound fails.
    const perLine =
      builtBytes({ ...invoice, lineItems: [line, line] }, shortest) -
      builtBytes({ ...invoice, lineItems: [line] }, shortest);
    const around = Math.floor((DOCUMENT_BYTES_MAX - 2_000) / perLine);
    const change = fc.record({ taxType: fc.constant(line.taxType), taxAmount: fc.constant(line.taxAmount) });
    const odd = fc.record({ taxType: types, taxAmount: fc.constantFrom(0, 5) });
    const lines = fc
      .tuple(fc.array(odd, { maxLength: 3 }), fc.array(change, { minLength: around - 6, maxLength: around + 4 }))
      .map((parts) => parts.flat());
    fc.assert(
      fc.property(lines, fc.constantFrom('01', '02', 'E'), (changes, defaultTaxType) => {
        const document = { ...invoice, lineItems: changes.map((change) => ({ ...line, ...change })) };
        const problem = findSizeProblem(document);
        if (problem !== null) {
          expect(builtBytes(document, { ...shortest, defaultTaxType })).toBeGreaterThan(DOCUMENT_BYTES_MAX);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('states the minimum size of a document that fits no supplier', () => {
    const lineItems = Array.from({ length: 454 }, () => ({ ...line, description: 'x'.repeat(300) }));
    expect(findSizeProblem({ ...invoice, lineItems })?.message).toMatch(/here at least \d{3},\d{3};/);
  });
});

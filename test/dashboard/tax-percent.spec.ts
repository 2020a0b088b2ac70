import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computePercent, type TaxedLine } from '../../dashboard/src/parts/invoice/tax-percent.js';
import type { LineItem } from '../../src/documents/simplified-document.js';
import { choosePercents, computeTax } from '../../src/documents/tax-percent.js';

interface Typed {
  readonly total: number;
  readonly tax: number;
  readonly taxType?: string;
  readonly taxRate?: number;
}

function computePercents(typed: readonly Typed[]): (number | null)[] {
  const lines = typed.map(({ total, tax, taxType = '', taxRate }): TaxedLine => {
    return { total, tax, taxType, rate: taxRate ?? null };
  });
  return lines.map((line) => computePercent(line, lines));
}

/** Returns the line as the service reads it. */
function toService({ total, tax, taxType, taxRate }: Typed) {
  const line = { lineTotal: total, taxAmount: tax, taxRate } as LineItem;
  return { line, codes: { taxType: taxType ?? (tax === 0 ? '06' : '02') } };
}

describe('tax percentage in the form', () => {
  it.each<[string, Typed[], (number | null)[]]>([
    ['is the usual rate that gives the tax', [{ total: 18.9, tax: 1.13 }], [6]],
    ['is the first usual rate for an amount that two rates give', [{ total: 0.5, tax: 0.03 }], [5]],
    [
      'is the rate of all lines of the tax type',
      [
        { total: 0.5, tax: 0.03 },
        { total: 18.9, tax: 1.13 },
      ],
      [6, 6],
    ],
    ['is the quotient if no rate gives the tax', [{ total: 100, tax: 5.98 }], [5.98]],
    ['is absent for a line without a tax', [{ total: 100, tax: 0 }], [null]],
    [
      'is absent if the default tax type decides',
      [
        { total: 0.5, tax: 0.03 },
        { total: 18.9, tax: 1.13, taxType: '02' },
      ],
      [null, null],
    ],
  ])('%s', (_title, lines, expected) => {
    expect(computePercents(lines)).toEqual(expected);
  });

  it('equals the percentage in the document', () => {
    const sen = fc.integer({ min: 1, max: 50_000 }).map((units) => units / 100);
    const rate = fc.constantFrom(0, 5, 6, 8, 10, 7, 2.5, 6.25);
    const ofRate: fc.Arbitrary<Typed> = fc
      .tuple(sen, rate)
      .map(([total, percent]) => ({ total, tax: computeTax(total, percent) }));
    const odd: fc.Arbitrary<Typed> = fc.record({ total: sen, tax: sen });
    const stated: fc.Arbitrary<Typed> = fc
      .tuple(sen, rate)
      .map(([total, taxRate]) => ({ total, taxRate, tax: computeTax(total, taxRate) }));
    const typed = (line: fc.Arbitrary<Typed>): fc.Arbitrary<Typed> =>
      fc.tuple(line, fc.constantFrom('01', '02')).map(([own, taxType]) => ({ ...own, taxType }));
    const documents = fc.oneof(
      fc.array(typed(fc.oneof(ofRate, odd, stated)), { minLength: 1, maxLength: 5 }),
      fc.array(fc.oneof(ofRate, odd), { minLength: 1, maxLength: 5 }),
    );
    fc.assert(
      fc.property(documents, (lines) => {
        const shown = computePercents(lines);
        const percents = choosePercents(lines.map(toService)).map(Number);
        for (const [index, { tax, taxRate }] of lines.entries()) {
          const isShown = tax !== 0 && taxRate === undefined;
          expect(shown[index]).toBe(isShown ? percents[index] : null);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

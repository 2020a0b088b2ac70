import 'reflect-metadata';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildAuthorityDocument } from '../../src/documents/authority-document.js';
import { goldenSupplier } from '../../src/documents/golden/golden.js';
import { type SubmitBody, readSubmitBody } from '../../src/submission/submit-body.js';
import { recipient, today } from '../support/documents.js';
import { countRuns } from '../support/random.js';

const SUPPLIER = goldenSupplier();

// Recomputes the totals of docs/rules.md#totals from the sent bytes in integers, without the service's arithmetic.

const RUNS = process.env.HOLES === 'full' ? 20_000 : countRuns(500);

// Units: money in sen, quantities and prices in hundred-thousandths, products in squared hundred-thousandths.
const SEN = 100n;
const FINE = 100_000n;
const LIMIT_SEN = 10n ** 15n;

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

/** Divides and rounds half away from zero. */
function divided(value: bigint, by: bigint): bigint {
  const [size, unit] = [value < 0n ? -value : value, by < 0n ? -by : by];
  const whole = (2n * size + unit) / (2n * unit);
  return value < 0n === by < 0n ? whole : -whole;
}

function formatDigits(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const sign = units < 0n ? '-' : '';
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Lists the JSON spellings of a number, with trailing zeros and exponents. */
function listJsonNumbers(units: bigint, decimals: number): string[] {
  const full = formatDigits(units, decimals);
  const short = full.replace(/\.?0+$/, '');
  return [full, `${full}000`, short, `${units}e-${decimals}`, `${units * 100n}E-${decimals + 2}`, `${short}e+0`];
}

interface Written {
  readonly units: bigint;
  readonly text: string;
}

function written(units: fc.Arbitrary<bigint>, decimals: number): fc.Arbitrary<Written> {
  return fc
    .tuple(units, fc.nat({ max: 5 }))
    .map(([own, form]) => ({ units: own, text: listJsonNumbers(own, decimals)[form] }));
}

/** Generates integers of all magnitudes, including round ones. */
function upTo(max: bigint, min = 0n): fc.Arbitrary<bigint> {
  const magnitudes = Array.from({ length: String(max).length }, (_, index) => 10n ** BigInt(index));
  const any = magnitudes.map((magnitude) =>
    fc.bigInt({ min, max: magnitude > min ? (magnitude < max ? magnitude : max) : min }),
  );
  return fc.oneof(...any, fc.constant(min), fc.constant(max));
}

const TAX_TYPES = ['01', '02', '03', '04', '05', '06', 'E'] as const;

interface UnitTax {
  readonly perUnit: bigint;
  readonly count: bigint | undefined;
  readonly off: bigint | undefined;
}

interface RateTax {
  readonly rate: bigint;
  readonly off: bigint | undefined;
}

interface StatedTax {
  readonly tax: bigint;
  readonly isTaxSent: boolean;
  /** In hundredths of a percent. */
  readonly rate?: bigint;
  readonly unit?: { readonly perUnit: bigint; readonly count: bigint | undefined; readonly total: bigint };
}

function taxByUnit({ perUnit, count, off }: UnitTax, quantity: bigint): StatedTax {
  const total = count ?? quantity;
  const tax = divided(perUnit * total, (FINE * FINE) / SEN);
  const isBelowZero = tax === 0n && off === -1n;
  return { tax: tax + (isBelowZero ? 0n : (off ?? 0n)), isTaxSent: off !== undefined, unit: { perUnit, count, total } };
}

function taxByRate({ rate, off }: RateTax, net: bigint): StatedTax {
  const tax = divided(net * rate, 10_000n);
  const isBelowZero = tax === 0n && off === -1n;
  return { tax: tax + (isBelowZero ? 0n : (off ?? 0n)), isTaxSent: off !== undefined, rate };
}

/** A rate, and the error of the specified tax amount in sen. */
const anyRateTax = fc.record({
  rate: upTo(10n ** 4n),
  off: fc.constantFrom(undefined, -1n, 0n, 1n),
});

/** A tax per unit, the unit count if it differs from the quantity, and the error of the specified tax amount. */
const anyUnitTax = fc.option(
  fc.record({
    perUnit: upTo(10n ** 8n, 1n),
    count: fc.option(upTo(10n ** 8n, 1n), { nil: undefined }),
    off: fc.constantFrom(undefined, -1n, 0n, 1n),
  }),
  { nil: undefined, freq: 2 },
);

interface Line extends StatedTax {
  readonly quantity: bigint;
  readonly unitPrice: bigint;
  readonly discount: bigint;
  readonly given: bigint | undefined;
  readonly computed: bigint;
  readonly taxType: (typeof TAX_TYPES)[number] | undefined;
  readonly forms: readonly number[];
}

/** No discount, part of the line, or almost all of it so that most digits cancel. */
const anyDiscount = fc.oneof(
  fc.constant(() => 0n),
  fc.nat({ max: 50 }).map((part) => (gross: bigint) => (gross / 50n) * BigInt(part)),
  fc.bigInt({ min: 0n, max: 1_000n }).map((left) => (gross: bigint) => (gross > left ? gross - left : 0n)),
);

const anyLine = fc
  .tuple(
    // Limits the number of digits so that most products stay below the limit.
    fc.oneof(
      fc.tuple(upTo(10n ** 7n, 1n), upTo(10n ** 12n)),
      fc.tuple(upTo(10n ** 15n - 1n, 1n), upTo(10n ** 3n)),
      fc.tuple(upTo(10n ** 9n, 1n), upTo(10n ** 9n)),
      // Products that end in half a sen.
      fc.tuple(
        fc.constantFrom(1n, 3n, FINE),
        upTo(10n ** 7n).map((own) => own * 1_000n + 500n),
      ),
      fc.tuple(
        upTo(10n ** 6n).map((own) => (2n * own + 1n) * FINE),
        upTo(10n ** 7n).map((own) => own * 1_000n + 500n),
      ),
    ),
    anyDiscount,
    fc.constantFrom(undefined, -1n, 0n, 1n),
    fc.oneof(fc.constant(0n), upTo(10n ** 12n), anyRateTax),
    fc.option(fc.constantFrom(...TAX_TYPES, 'E' as const), { nil: undefined }),
    anyUnitTax,
    fc.array(fc.nat({ max: 5 }), { minLength: 8, maxLength: 8 }),
  )
  .map(([[quantity, unitPrice], discountOf, off, percentTax, taxType, unit, forms]): Line => {
    const gross = quantity * unitPrice;
    const discount = discountOf(gross / ((FINE * FINE) / SEN));
    const computed = divided(gross - discount * ((FINE * FINE) / SEN), (FINE * FINE) / SEN);
    const given = off === undefined || computed + off < 0n ? undefined : computed + off;
    return {
      quantity,
      unitPrice,
      discount,
      given,
      computed,
      ...stateTax(percentTax, unit, { quantity, net: given ?? computed }),
      taxType,
      forms,
    };
  });

function stateTax(
  percentTax: bigint | RateTax,
  unit: UnitTax | undefined,
  { quantity, net }: { quantity: bigint; net: bigint },
): StatedTax {
  if (unit !== undefined) return taxByUnit(unit, quantity);
  if (typeof percentTax !== 'bigint') return taxByRate(percentTax, net);
  return { tax: percentTax, isTaxSent: percentTax !== 0n };
}

function getNet({ given, computed }: Line): bigint {
  return given ?? computed;
}

function getChargedTax({ tax, taxType }: Line): bigint {
  return taxType === 'E' ? 0n : tax;
}

function toJson({ quantity, unitPrice, discount, given, tax, isTaxSent, rate, unit, taxType, forms }: Line): string {
  const members = [
    `"description":"Goods"`,
    `"quantity":${listJsonNumbers(quantity, 5)[forms[0]]}`,
    `"unitPrice":${listJsonNumbers(unitPrice, 5)[forms[1]]}`,
    ...(discount === 0n ? [] : [`"discount":${listJsonNumbers(discount, 2)[forms[2]]}`]),
    ...(given === undefined ? [] : [`"lineTotal":${listJsonNumbers(given, 2)[forms[3]]}`]),
    ...(isTaxSent ? [`"taxAmount":${listJsonNumbers(tax, 2)[forms[4]]}`] : []),
    ...(rate === undefined ? [] : [`"taxRate":${listJsonNumbers(rate, 2)[forms[7]]}`]),
    ...(unit === undefined ? [] : [`"taxPerUnit":${listJsonNumbers(unit.perUnit, 5)[forms[5]]}`]),
    ...(unit?.count === undefined ? [] : [`"taxUnitCount":${listJsonNumbers(unit.count, 5)[forms[6]]}`]),
    ...(taxType === undefined ? [] : [`"taxType":"${taxType}"`]),
    ...(taxType === 'E' ? [`"taxExemptionReason":"Order"`] : []),
  ];
  return `{${members.join(',')}}`;
}

const anyDocument = fc.array(anyLine, { minLength: 1, maxLength: 6 }).chain((lines) => {
  const net = sum(lines.map(getNet));
  const gross = net + sum(lines.map(getChargedTax));
  return fc.record({
    lines: fc.constant(lines),
    discount: written(fc.oneof(fc.constant(0n), upTo(10n ** 6n), justBelow(net)), 2),
    rounding: written(
      fc.oneof(
        fc.constant(0n),
        fc.bigInt({ min: -10n, max: 10n }),
        upTo(10n ** 10n),
        justBelow(gross).map((own) => -own),
      ),
      2,
    ),
  });
});

function justBelow(sen: bigint): fc.Arbitrary<bigint> {
  return fc.bigInt({ min: 0n, max: 1_000n }).map((left) => (sen >= left && sen < LIMIT_SEN ? sen - left : 0n));
}

function buildBody(lines: readonly Line[], discount: Written, rounding: Written): string {
  return (
    `{"submission_type":"non-consolidated","documents":[{"documentType":"invoice","referenceId":"INV-1",` +
    `"document_date":"${today()}","recipient":${JSON.stringify(recipient)},"totalDiscountAmount":${discount.text},` +
    `"totalRoundingAmount":${rounding.text},"lineItems":[${lines.map(toJson).join(',')}]}]}`
  );
}

// eslint-disable-next-line -- the test inspects arbitrary members
type Ubl = Record<string, any>;

const NUMBER = /"_":(-?\d[^,}]*)/g;

/** Builds the invoice with its numbers as strings. */
function builtFrom(accepted: SubmitBody): Ubl {
  const [{ document }] = accepted.documents;
  const built = buildAuthorityDocument({
    document,
    supplier: SUPPLIER,
    issuedAt: new Date('2026-07-23T00:30:00Z'),
    period: null,
    parentAuthorityUuid: null,
    version: '1.0',
  }).toString('utf8');
  for (const [, text] of built.matchAll(NUMBER)) expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
  return JSON.parse(built.replaceAll(NUMBER, '"_":"$1"')).Invoice[0];
}

/** Converts a plain decimal to units. Throws if it has too many decimals. */
function parseUnits(text: string, decimals: number): bigint {
  const [whole, fraction = ''] = text.split('.');
  expect(fraction.length).toBeLessThanOrEqual(decimals);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

const parseSen = (amount: { _: string; currencyID: string }[] | undefined): bigint | undefined => {
  if (amount === undefined) return undefined;
  expect(amount).toEqual([{ _: expect.any(String), currencyID: 'MYR' }]);
  return parseUnits(amount[0]._, 2);
};

interface Taxed {
  readonly net: bigint;
  readonly tax: bigint;
  readonly charged: bigint;
  readonly taxType: string;
}

/** Expects a percentage or a rate per unit, or neither for exempted tax without units. */
function expectRate(built: Ubl, line: Line, net: bigint): void {
  const rates = ['Percent', 'BaseUnitMeasure', 'PerUnitAmount'].filter((name) => name in built);
  if (line.unit !== undefined) {
    expect(rates).toEqual(['BaseUnitMeasure', 'PerUnitAmount']);
    expect(parseUnits(built.PerUnitAmount[0]._, 5)).toBe(line.unit.perUnit);
    expect(built.PerUnitAmount[0].currencyID).toBe('MYR');
    expect(parseUnits(built.BaseUnitMeasure[0]._, 5)).toBe(line.unit.total);
    expect(built.BaseUnitMeasure[0].unitCode).toBe('C62');
    const off = line.tax - divided(line.unit.perUnit * line.unit.total, (FINE * FINE) / SEN);
    expect(off >= -1n && off <= 1n).toBe(true);
  } else if (line.taxType === 'E' && line.rate === undefined) expect(rates).toEqual([]);
  else {
    expect(rates).toEqual(['Percent']);
    expectPercent(parseUnits(built.Percent[0]._, 2), line, net);
  }
}

/** Expects the specified rate, else a percentage that yields the tax, else the quotient. */
function expectPercent(percent: bigint, { rate, tax }: Line, net: bigint): void {
  if (rate !== undefined) expect(percent).toBe(rate);
  else if (net === 0n) expect(percent).toBe(0n);
  else if (divided(net * percent, 10_000n) !== tax) expect(percent).toBe(divided(tax * 10_000n, net));
}

function isTaxed({ tax, rate = 0n }: Line): boolean {
  return tax !== 0n || rate !== 0n;
}

function expectLine(built: Ubl, line: Line): Taxed {
  expect(parseUnits(built.InvoicedQuantity[0]._, 5)).toBe(line.quantity);
  expect(parseUnits(built.Price[0].PriceAmount[0]._, 5)).toBe(line.unitPrice);
  const subtotal = parseSen(built.ItemPriceExtension[0].Amount) ?? -1n;
  expect(subtotal).toBe(divided(line.quantity * line.unitPrice, (FINE * FINE) / SEN));
  const charges = built.AllowanceCharge as Ubl[] | undefined;
  expect(charges?.map(({ ChargeIndicator, Amount }) => [ChargeIndicator[0]._, parseSen(Amount)]) ?? []).toEqual(
    line.discount === 0n ? [] : [[false, line.discount]],
  );
  const net = parseSen(built.LineExtensionAmount) ?? -1n;
  // A specified line total may differ by one sen.
  expect(net - (subtotal - line.discount)).toBe((line.given ?? line.computed) - line.computed);
  expect(built.TaxTotal).toHaveLength(1);
  const [{ TaxAmount, TaxSubtotal }] = built.TaxTotal;
  expect(parseSen(TaxAmount)).toBe(getChargedTax(line));
  expect(TaxSubtotal).toHaveLength(1);
  const [own] = TaxSubtotal;
  expect(parseSen(own.TaxAmount)).toBe(line.tax);
  expect(parseSen(own.TaxableAmount)).toBe(net);
  expectRate(own, line, net);
  const taxType = own.TaxCategory[0].ID[0]._ as string;
  expect(taxType).toBe(line.taxType ?? (isTaxed(line) ? SUPPLIER.defaultTaxType : '06'));
  return { net, tax: line.tax, charged: getChargedTax(line), taxType };
}

function expectTaxes([{ TaxAmount, TaxSubtotal }]: Ubl[], lines: readonly Taxed[]): void {
  expect(parseSen(TaxAmount)).toBe(sum(lines.map(({ charged }) => charged)));
  const isCharged = (own: Ubl): boolean => own.TaxCategory[0].ID[0]._ !== 'E';
  expect(parseSen(TaxAmount)).toBe(sum(TaxSubtotal.filter(isCharged).map((own: Ubl) => parseSen(own.TaxAmount))));
  const byType = TaxSubtotal.map((own: Ubl) => [
    own.TaxCategory[0].ID[0]._,
    parseSen(own.TaxableAmount),
    parseSen(own.TaxAmount),
  ]);
  const expected = [...new Set(lines.map(({ taxType }) => taxType))].toSorted().map((taxType) => {
    const ofType = lines.filter((line) => line.taxType === taxType);
    return [taxType, sum(ofType.map(({ net }) => net)), sum(ofType.map(({ tax }) => tax))];
  });
  expect(byType).toEqual(expected);
}

it(`builds ${RUNS} random documents with exact totals`, () => {
  let accepted = 0;
  fc.assert(
    fc.property(anyDocument, ({ lines, discount, rounding }) => {
      const read = readSubmitBody(JSON.parse(buildBody(lines, discount, rounding)), new Date());
      const nets = lines.map(getNet);
      const excluding = sum(nets) - discount.units;
      const including = excluding + sum(lines.map(getChargedTax));
      const exempted = sum(lines.map((line) => line.tax - getChargedTax(line)));
      const payable = including + rounding.units;
      if ('problems' in read) {
        const isRightlyRefused =
          lines.some(({ computed, given }) => computed >= LIMIT_SEN || (given ?? 0n) >= LIMIT_SEN) ||
          [sum(nets), including, exempted, payable].some((total) => total >= LIMIT_SEN) ||
          excluding < 0n ||
          payable < 0n;
        expect(isRightlyRefused, JSON.stringify(read.problems)).toBe(true);
        return;
      }
      accepted += 1;
      const invoice = builtFrom(read);
      const built = lines.map((line, index) => expectLine(invoice.InvoiceLine[index], line));
      expect(invoice.InvoiceLine).toHaveLength(lines.length);
      expectTaxes(invoice.TaxTotal, built);
      expect(invoice.AllowanceCharge?.map((own: Ubl) => parseSen(own.Amount))).toEqual(
        discount.units === 0n ? undefined : [discount.units],
      );
      const isAdjusted = discount.units !== 0n || rounding.units !== 0n;
      const total = invoice.LegalMonetaryTotal[0];
      expect(Object.fromEntries(Object.keys(total).map((name) => [name, parseSen(total[name])]))).toEqual({
        LineExtensionAmount: sum(nets),
        TaxExclusiveAmount: excluding,
        TaxInclusiveAmount: including,
        ...(discount.units === 0n ? {} : { AllowanceTotalAmount: discount.units }),
        ...(isAdjusted ? { PayableRoundingAmount: rounding.units } : {}),
        PayableAmount: payable,
      });
      // The response must contain the totals that are sent.
      const { totals } = read.documents[0];
      expect(Object.values(totals).map((value) => parseUnits(JSON.stringify(value), 2))).toEqual([
        excluding,
        including - excluding,
        including,
        payable,
      ]);
    }),
    { numRuns: RUNS },
  );
  expect(accepted).toBeGreaterThan(RUNS / 2);
}, 1_200_000);

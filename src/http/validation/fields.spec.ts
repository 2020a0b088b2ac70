import 'reflect-metadata';
import { validateSync } from 'class-validator';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Problem, toSentence } from '../../errors/problem.js';
import { splitDigits, isSurelyDecimal } from '../../common/decimal.js';
import { AmountField, ChoiceField, ListField, ObjectField, TextField } from './fields.js';
import { checkShape, compileShape } from './shape.js';

class Inner {
  @TextField({ description: 'Code.', maxLength: 3, format: { pattern: /^[A-Z]+$/, message: 'must be capitals' } })
  code: string;
}

class Sample {
  @TextField({ description: 'Name.', example: 'Ann', maxLength: 5 })
  name: string;

  @TextField({ description: 'Note.', maxLength: 5, layout: 'paragraph', required: false })
  note?: string;

  @ChoiceField({ description: 'Colour.', choices: ['red', 'blue'], alias: 'colorName' })
  colour_name?: string;

  @ChoiceField({ description: 'Colour.', choices: ['red', 'blue'], aliasOf: 'colour_name' })
  colorName?: string;

  @AmountField({ description: 'Price.', decimals: 2, minimum: 0, required: false })
  price?: number;

  @AmountField({
    description: 'Count.',
    decimals: 5,
    minimum: 0,
    isMinimumExcluded: true,
    unit: 'units',
    required: false,
  })
  count?: number;

  @ObjectField(() => Inner, { description: 'Inner.', ruleScope: 'inner', required: (owner) => owner['price'] === 1 })
  inner?: Inner;

  @ListField(() => Inner, { description: 'List.', ruleScope: 'item', minItems: 1, maxItems: 2, required: false })
  list?: Inner[];
}

const SHAPE = compileShape(Sample);
const VALID = { name: 'Ann', colour_name: 'red' };

function findProblems(change: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  checkShape(SHAPE, { ...VALID, ...change }, '', problems);
  return problems;
}

function findSentences(change: Record<string, unknown>): string[] {
  return findProblems(change).map(toSentence);
}

function readSchema(property: string): unknown {
  return Reflect.getMetadata('swagger/apiModelProperties', Sample.prototype, property);
}

describe('field hint', () => {
  const hint = vi.fn((value: unknown) => `not ${String(value)}`);

  class Hinted {
    @TextField({ description: 'Code.', maxLength: 3, hint })
    code: string;
  }

  it('depends on the text if it exceeds the limit but has at most 60 characters', () => {
    expect(checkHinted('x'.repeat(60))).toBe(`not ${'x'.repeat(60)}`);
  });

  it('asks for the value alone if the text is too long to inspect', () => {
    hint.mockClear();
    expect(checkHinted('x'.repeat(61))).toBe('send the value alone, without other text');
    expect(hint).not.toHaveBeenCalled();
  });

  function checkHinted(code: string): string | undefined {
    const problems: Problem[] = [];
    checkShape(compileShape(Hinted), { code }, '', problems);
    return problems[0]?.hint;
  }
});

const NUMBER_ALONE = 'write the number alone, without quotation marks, with a point before the decimals: 12.5';

describe('field decorators', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ name: undefined }, 'name is required'],
    [{ name: null }, 'name is required'],
    [{ name: ' \u00a0 ' }, 'name is required'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: {} }, 'name must be a string'],
    [{ name: 'abcdef' }, 'name must be at most 5 characters'],
    [{ name: '\u{1F600}'.repeat(6) }, 'name must be at most 5 characters'],
    [{ name: 'a\nb' }, 'name must not contain control characters'],
    [{ name: 'a\u0000b' }, 'name must not contain control characters'],
    [{ name: 'a\ud800b' }, 'name must not contain control characters'],
    [{ note: 'a\u0000b' }, 'note must not contain control characters other than tabs and line breaks'],
    [{ note: 'a\udc00b' }, 'note must not contain control characters other than tabs and line breaks'],
    [{ note: 'a\u0085b' }, 'note must not contain control characters other than tabs and line breaks'],
    [{ colour_name: 'green' }, 'colour_name must be one of: red, blue'],
    [{ colour_name: ['red'] }, 'colour_name must be one of: red, blue'],
    [{ colour_name: undefined }, 'colour_name is required'],
    [{ colorName: 'blue' }, 'colorName must equal colour_name when both are sent'],
    [{ price: '12.5' }, 'price must be a JSON number, not a string'],
    [{ price: true }, 'price must be a number'],
    [{ price: -0.01 }, 'price must be at least 0'],
    [{ price: 0.001 }, 'price must be a number with at most 2 decimals'],
    [{ price: 1e-7 }, 'price must be a number with at most 2 decimals'],
    [{ price: 1e13 }, 'price must be below 10,000,000,000,000 in absolute value'],
    [{ price: JSON.parse('1e400') }, 'price must be below 10,000,000,000,000 in absolute value'],
    [{ price: Number.NaN }, 'price must be below 10,000,000,000,000 in absolute value'],
    [{ count: 0 }, 'count must be greater than 0'],
    [{ count: 12345678901.23456 }, 'count must have at most 15 significant digits'],
    [{ inner: 'text' }, 'inner must be an object'],
    [{ inner: [] }, 'inner must be an object'],
    [{ inner: { code: 'abc' } }, 'inner.code must be capitals'],
    [{ price: 1 }, 'inner is required'],
    [{ list: {} }, 'list must be an array'],
    [{ list: [] }, 'list must have at least 1 item'],
    [{ list: [1, 2, 3] }, 'list must have at most 2 items'],
    [{ list: [{ code: 'A' }, null] }, 'list[1] must be an object'],
  ])('reject %j: %s', (change, sentence) => {
    expect(findSentences(change)).toEqual([sentence]);
  });

  it.each<Record<string, unknown>>([
    {},
    { name: '  Anna \n' },
    { name: '\u{1F600}\u{1F600}a' },
    { note: '' },
    { note: null },
    { note: 'a\tb\nc' },
    { colorName: 'red' },
    { colour_name: undefined, colorName: 'blue' },
    { colour_name: '', colorName: 'blue' },
    { price: 9_999_999_999_999.99 },
    { price: -0 },
    { price: null },
    { count: 0.00001 },
    { price: 1, inner: { code: 'A' } },
    { list: [{ code: 'A' }, { code: 'B' }] },
  ])('accept %j', (change) => {
    expect(findSentences(change)).toEqual([]);
  });

  it('return a rule and a hint', () => {
    expect(findProblems({ price: '1', colour_name: undefined })).toEqual([
      {
        pointer: '/colour_name',
        rule: 'colour_name_required',
        message: 'is required',
        hint: 'or colorName, use red or blue',
      },
      {
        pointer: '/price',
        rule: 'price_type',
        message: 'must be a JSON number, not a string',
        hint: 'write 1, without quotation marks',
      },
    ]);
  });

  it.each<[Record<string, unknown>, string | undefined]>([
    [{ price: '12.50' }, 'write 12.5, without quotation marks'],
    [{ price: ' RM 1,234.50' }, 'write 1234.5, without quotation marks'],
    [{ price: '-0.10' }, 'at least 0'],
    [{ price: '5.00-' }, 'at least 0'],
    [{ price: '(5.00)' }, 'at least 0'],
    [{ price: '12.345' }, 'use 12.35, rounded to 2 decimals'],
    [{ price: '1,234' }, 'write 1234, without quotation marks, if the comma separates thousands'],
    [{ price: '0,500' }, NUMBER_ALONE],
    [{ price: '10-20' }, NUMBER_ALONE],
    [{ price: '5 %' }, 'send the amount in MYR, not a percentage'],
    [{ price: 'SGD 5' }, 'send the amount in MYR'],
    [{ price: '€5' }, 'send the amount in MYR'],
    [{ count: '5 pcs' }, NUMBER_ALONE],
    [{ price: '' }, 'leave it out'],
    [{ price: 'NA' }, 'leave it out'],
    [{ price: '12,50' }, NUMBER_ALONE],
    [{ price: '1'.repeat(5_000) }, NUMBER_ALONE],
    [{ price: true }, NUMBER_ALONE],
    [{ price: 12.345 }, 'use 12.35, rounded to 2 decimals'],
    [{ price: 1.005 }, 'use 1.01, rounded to 2 decimals'],
    [{ count: 12345678901.23456 }, 'use 12345678901.2346'],
    [{ price: -5 }, 'at least 0'],
    [{ count: 0 }, 'above 0'],
    [{ count: 0.000001 }, 'above 0'],
    [{ price: 1e13 }, 'check the number of digits: the amount is in MYR'],
    [{ name: 40000 }, 'write "40000", with quotation marks'],
    [{ name: true }, 'such as "Ann"'],
    [{ name: 'abcdefg ' }, 'shorten it by 2 characters'],
    [{ name: 'abcdef' }, 'shorten it by 1 character'],
    [{ name: 'a\tb' }, 'remove character 2, U+0009'],
    [{ note: 'a\tb\u0000' }, 'remove character 4, U+0000'],
    [{ name: 'a\tb\nc' }, 'remove character 2, U+0009, and 1 more of this kind'],
    [{ name: '\ud800' }, 'remove character 1, U+D800'],
    [{ colour_name: 'Red' }, 'did you mean red?'],
    [{ colour_name: 'bleu' }, 'did you mean blue?'],
    [{ colour_name: 'mauve' }, 'use red or blue'],
    [{ colour_name: ['red'] }, 'use red or blue'],
    [{ name: undefined }, 'such as "Ann"'],
    [{ inner: 'text' }, 'an object in braces, {…}'],
    [{ price: 1 }, 'an object in braces, {…}'],
    [{ list: {} }, 'a list in square brackets, […]'],
    [{ list: [] }, 'send one or more'],
    [{ inner: { code: 'abc' } }, undefined],
  ])('suggest a correction of %j: %s', (change, hint) => {
    const [problem] = findProblems(change);
    expect(problem?.hint).toBe(hint);
  });

  it('agree with class-validator on flat fields', () => {
    const member = fc.oneof(
      fc.constantFrom<unknown>('red', 'blue', '', ' ', 'Ann', null, undefined, 0, 1, -1, 0.5, 0.123, 1e13, 'a\u0000'),
      fc.jsonValue(),
      fc.double(),
    );
    const body = fc.record({
      name: member,
      note: member,
      colour_name: member,
      colorName: member,
      price: member,
      count: member,
    });
    fc.assert(
      fc.property(body, (value) => {
        const broken = validateSync(Object.assign(new Sample(), { ...value, inner: { code: 'A' } }), {
          forbidUnknownValues: false,
        });
        const problems: Problem[] = [];
        checkShape(SHAPE, { ...value, inner: { code: 'A' } }, '', problems);
        expect(problems.map(({ pointer }) => pointer.slice(1)).sort()).toEqual(
          broken.map(({ property }) => property).sort(),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('write the same limits to OpenAPI', () => {
    expect(readSchema('name')).toMatchObject({
      type: String,
      required: true,
      minLength: 1,
      maxLength: 5,
      example: 'Ann',
    });
    expect(readSchema('note')).toMatchObject({ required: false, maxLength: 5 });
    expect(readSchema('colour_name')).toMatchObject({
      required: true,
      enum: ['red', 'blue'],
      'x-alias': 'colorName',
      description: 'Colour. Required; also accepted as `colorName`.',
    });
    expect(readSchema('colorName')).toBeUndefined();
    expect(readSchema('price')).toMatchObject({
      type: Number,
      minimum: 0,
      exclusiveMinimum: false,
      maximum: 1e13,
      exclusiveMaximum: true,
      description: 'Price. At most 2 decimals, below 10,000,000,000,000.',
    });
    expect(readSchema('count')).toMatchObject({ minimum: 0, exclusiveMinimum: true });
    expect(readSchema('list')).toMatchObject({ isArray: true, minItems: 1, maxItems: 2 });
    expect(Reflect.getMetadata('swagger/apiModelProperties', Inner.prototype, 'code')).toMatchObject({
      pattern: '^[A-Z]+$',
    });
  });
});

describe('splitDigits', () => {
  it.each([
    [0, 0, 0],
    [0.1, 1, 1],
    [12.5, 3, 1],
    [-100, 1, 0],
    [1e-7, 1, 7],
    [1.5e-7, 2, 8],
    [9_999_999_999_999.99, 15, 2],
    [1e21, 1, 0],
    [0.30000000000000004, 17, 17],
  ])('counts for %d %d significant digits and %d decimals', (value, significant, decimals) => {
    expect(splitDigits(value)).toEqual({ significant, decimals });
  });

  it('agrees with isSurelyDecimal', () => {
    const near = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.constantFrom(1, 10, 100, 1e3, 1e5, 1e6));
    const value = fc.oneof(
      near.map(([whole, scale]) => whole / scale),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(2, 5), (number, decimals) => {
        const digits = splitDigits(number);
        const isShort = digits.decimals <= decimals && digits.significant <= 15 && Math.abs(number) < 1e10;
        if (isSurelyDecimal(number, decimals))
          expect(digits.decimals <= decimals && digits.significant <= 15).toBe(true);
        else expect(isShort).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('choice field hint', () => {
  const hint = vi.fn(() => 'use a');

  class Choice {
    @ChoiceField({ description: 'Kind.', choices: ['a'], hint })
    kind: string;
  }

  const findHint = (kind: string): string | undefined => {
    const problems: Problem[] = [];
    checkShape(compileShape(Choice), { kind }, '', problems);
    return problems[0]?.hint;
  };

  it('depends on a value of up to 60 characters', () => {
    expect(findHint('x'.repeat(60))).toBe('use a');
  });

  it('ignores a longer value', () => {
    hint.mockClear();
    expect(findHint('x'.repeat(61))).toBe('send the value alone, without other text');
    expect(hint).not.toHaveBeenCalled();
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecimal } from '../../common/decimal.js';
import { constant, element, serialise, sourcesIn } from './ubl.js';

const written = (value: number): string => serialise({ a: constant(value) }).slice('{"a":[{"_":'.length, -'}]}'.length);

describe('serialise', () => {
  it.each([
    [1e-7, '0.0000001'],
    [1e-5, '0.00001'],
    [1e21, '1000000000000000000000'],
    [1436.5, '1436.5'],
    [85.0, '85'],
    [-0.02, '-0.02'],
    [-0, '0'],
  ])('serialises %d as %s', (value, text) => {
    expect(written(value)).toBe(text);
    expect(serialise({ a: constant(toDecimal(value)) })).toBe(serialise({ a: constant(value) }));
  });

  it('serialises every number as its shortest decimal without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = written(value);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('omits undefined properties and elements without a value', () => {
    const node = {
      b: element('x', '/b', { name: 'ü"', code: { value: 'C62', from: '/code' } }),
      gone: undefined,
      none: element(null, '/none'),
      a: [{ d: constant(true) }, { c: constant('y') }],
    };
    expect(serialise(node)).toBe(
      '{"b":[{"_":"x","name":"ü\\"","code":"C62"}],"a":[{"d":[{"_":true}]},{"c":[{"_":"y"}]}]}',
    );
  });
});

describe('sourcesIn', () => {
  it('returns the source of every sourced value and attribute', () => {
    const node = {
      b: element('x', '/b', { name: 'plain', code: { value: 'C62', from: '/code' } }),
      fixed: constant('MYR'),
      none: element(null, '/none'),
      a: [{ d: element(1, '/a/0/d') }, { d: element(2, '') }],
    };
    expect(Object.fromEntries(sourcesIn(node))).toEqual({
      'b[0]._': { from: '/b', value: 'x' },
      'b[0].code': { from: '/code', value: 'C62' },
      'none[0]._': { from: '/none', value: null },
      'a[0].d[0]._': { from: '/a/0/d', value: 1 },
      'a[1].d[0]._': { from: '', value: 2 },
    });
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalOf } from '../../common/decimal.js';
import { type UblNode, element, serialise } from './ubl.js';

describe('serialise', () => {
  it.each([
    [1e-7, '0.0000001'],
    [1e-5, '0.00001'],
    [1e21, '1000000000000000000000'],
    [1436.5, '1436.5'],
    [85.0, '85'],
    [-0.02, '-0.02'],
    [-0, '0'],
  ])('writes %d as %s', (value, text) => {
    expect(serialise(decimalOf(value))).toBe(text);
  });

  it('writes every number as its shortest plain decimal, which reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = serialise(decimalOf(value));
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('keeps the order of members and leaves out what is undefined', () => {
    const node: UblNode = { b: element('x', { name: 'ü"' }), gone: undefined, a: [true, { c: 'y' }] };
    expect(serialise(node)).toBe('{"b":[{"_":"x","name":"ü\\""}],"a":[true,{"c":"y"}]}');
  });
});

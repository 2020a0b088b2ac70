import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readErrors, readErrorsOrFallback } from './authority-errors.js';

describe('readErrors', () => {
  it.each<[string, unknown, unknown]>([
    [
      'a validation error',
      {
        propertyName: 'document',
        propertyPath: 'document',
        errorCode: 'DS302',
        error: 'Duplicated',
        errorMS: 'Pendua',
        innerError: [],
      },
      [{ code: 'DS302', message: 'Duplicated', path: 'document' }],
    ],
    [
      'an API error with a null outer message',
      {
        error: {
          code: 'ValidationError',
          message: null,
          details: [{ code: 'submission', target: 'submission', message: 'TIN is not matching ' }],
        },
      },
      [{ code: 'submission', message: 'TIN is not matching', path: 'submission' }],
    ],
    [
      'an API error without details',
      { error: { code: 'ValidationError', message: 'JSON is not valid', target: 'submission', details: null } },
      [{ code: 'ValidationError', message: 'JSON is not valid', path: 'submission' }],
    ],
    [
      'a login error',
      { error: 'invalid_grant', error_description: 'User blocked', error_uri: null },
      [{ code: 'invalid_grant', message: 'User blocked', path: null }],
    ],
    [
      'a login error without a description',
      { error: 'invalid_client' },
      [{ code: 'invalid_client', message: 'invalid_client', path: null }],
    ],
    [
      'a gateway error',
      { statusCode: 429, message: 'Rate limit is exceeded. Try again in 59 seconds.' },
      [{ code: '429', message: 'Rate limit is exceeded. Try again in 59 seconds.', path: null }],
    ],
    [
      'a structure error without a code',
      {
        code: '3',
        message: 'Validation Error',
        details: [{ code: null, message: 'ArrayExpected', propertyPath: '#/Invoice[0]', target: '[0]' }],
      },
      [{ code: null, message: 'ArrayExpected', path: '#/Invoice[0]' }],
    ],
    ['no error from an empty object', {}, []],
    ['a string instead of an error', 'The TIN is wrong. ', [{ code: null, message: 'The TIN is wrong.', path: null }]],
    [
      'a sentence instead of an error code',
      { error: 'The TIN is wrong' },
      [{ code: null, message: 'The TIN is wrong', path: null }],
    ],
    [
      'a string instead of the details',
      { error: { code: 'BadArgument', message: null, details: 'uuid is wrong' } },
      [{ code: 'BadArgument', message: 'uuid is wrong', path: null }],
    ],
    [
      'a list of strings',
      { error: { code: 'ValidationError', details: ['One', { code: 'CF321', message: 'Two' }] } },
      [
        { code: null, message: 'One', path: null },
        { code: 'CF321', message: 'Two', path: null },
      ],
    ],
    ['no error from blank text', '  ', []],
  ])('reads %s', (_, body, expected) => {
    expect(readErrors(body)).toEqual(expected);
  });

  it('limits the number, depth and length of errors', () => {
    let deep: object = { code: 'X', message: 'deep' };
    for (let level = 0; level < 10_000; level += 1) deep = { details: [deep] };
    expect(readErrors(deep)).toEqual([]);
    const wide = {
      details: Array.from({ length: 5_000 }, (_, index) => ({ code: `C${index}`, message: 'x'.repeat(10_000) })),
    };
    const errors = readErrors(wide);
    expect(errors).toHaveLength(201);
    expect(errors[0]?.message).toHaveLength(2_000);
    expect(errors[200]).toEqual({ code: null, message: 'and 4800 more errors', path: null, leftOut: 4_800 });
  });

  it('returns at least the fallback for an arbitrary body', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), (body) => {
        expect(readErrorsOrFallback(body, 'refused').length).toBeGreaterThan(0);
      }),
    );
  });
});

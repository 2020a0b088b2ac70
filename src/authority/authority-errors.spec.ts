import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readErrors, errorsOrFallback } from './authority-errors.js';

describe('errorsOf', () => {
  it.each<[string, unknown, unknown]>([
    [
      'a finding of validation',
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
      'an error of the API, whose outer message is null',
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
      'an error of the API without details',
      { error: { code: 'ValidationError', message: 'JSON is not valid', target: 'submission', details: null } },
      [{ code: 'ValidationError', message: 'JSON is not valid', path: 'submission' }],
    ],
    [
      'an error of the login',
      { error: 'invalid_grant', error_description: 'User blocked', error_uri: null },
      [{ code: 'invalid_grant', message: 'User blocked', path: null }],
    ],
    [
      'a bare error of the login',
      { error: 'invalid_client' },
      [{ code: 'invalid_client', message: 'invalid_client', path: null }],
    ],
    [
      'an error of the gateway',
      { statusCode: 429, message: 'Rate limit is exceeded. Try again in 59 seconds.' },
      [{ code: '429', message: 'Rate limit is exceeded. Try again in 59 seconds.', path: null }],
    ],
    [
      'a failure of structure, which has no code',
      {
        code: '3',
        message: 'Validation Error',
        details: [{ code: null, message: 'ArrayExpected', propertyPath: '#/Invoice[0]', target: '[0]' }],
      },
      [{ code: null, message: 'ArrayExpected', path: '#/Invoice[0]' }],
    ],
    ['nothing in an empty object', {}, []],
    ['a text in place of an error', 'The TIN is wrong. ', [{ code: null, message: 'The TIN is wrong.', path: null }]],
    [
      'a sentence in place of the code of an error',
      { error: 'The TIN is wrong' },
      [{ code: null, message: 'The TIN is wrong', path: null }],
    ],
    [
      'texts in place of the details, under the code that stands beside them',
      { error: { code: 'BadArgument', message: null, details: 'uuid is wrong' } },
      [{ code: 'BadArgument', message: 'uuid is wrong', path: null }],
    ],
    [
      'a list of texts',
      { error: { code: 'ValidationError', details: ['One', { code: 'CF321', message: 'Two' }] } },
      [
        { code: null, message: 'One', path: null },
        { code: 'CF321', message: 'Two', path: null },
      ],
    ],
    ['nothing in an empty text', '  ', []],
  ])('reads %s', (_, body, expected) => {
    expect(readErrors(body)).toEqual(expected);
  });

  it('is bounded in number, depth and length, whatever a broken answer holds', () => {
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

  it('never throws, and the fallback is never empty', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), (body) => {
        expect(errorsOrFallback(body, 'refused').length).toBeGreaterThan(0);
      }),
    );
  });
});

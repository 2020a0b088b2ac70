import * as fc from 'fast-check';

/** Any Unicode character. Avoids the `binary` unit, which spends seconds building a table of a million characters. */
export const ANY_CHARACTER = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

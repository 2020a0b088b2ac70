import * as fc from 'fast-check';

/**
 * Any Unicode character. Unlike the library's `binary` unit, it does not build a table of a million characters per
 * process, which takes several seconds.
 */
export const ANY_CHARACTER = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

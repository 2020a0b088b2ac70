import * as fc from 'fast-check';

/**
 * Any character of Unicode. The library's own `binary` first makes a table of the million that there are, in each process
 * of the tests: more seconds than any test with it takes.
 */
export const ANY_CHARACTER = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

import { describe, expect, it } from 'vitest';
import { findDuplicateOriginal, isDuplicate } from './duplicates.js';

const UUID = '42S512YACQBRSRHYKBXBTGQG22';
const TEXT = 'Duplicated submitted document with UUID NEW where the values match';

describe('errors of the authority', () => {
  it.each([
    ['DS302 with the text of a duplicate', 'DS302', TEXT, true],
    ['DS302 without a text', 'DS302', null, true],
    ['DV302', 'DV302', null, true],
    ['DS302 about signatures', 'DS302', 'Signature count not equal to 1.', false],
    ['another code', 'CF321', TEXT, false],
    ['no code with the text of a duplicate', null, `${TEXT} for the document with UUID: ${UUID}`, true],
    ['no code with another text', null, 'Duplicate line id', false],
  ])('%s state a duplicate: %s', (_, code, message, expected) => {
    expect(isDuplicate([{ code, message }])).toBe(expected);
  });

  it.each([[UUID], ['0198a1f0-6f7e-7c0e-9d0d-3b1c6a1e4f50']])('contain the uuid of the earlier document %s', (uuid) => {
    const message = `${TEXT} with values for the document with UUID: ${uuid}`;
    expect(findDuplicateOriginal([{ code: 'DS302', message }])).toBe(uuid);
  });
});

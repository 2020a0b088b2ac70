import { describe, expect, it } from 'vitest';
import { toSentence, withFullStop } from './sentence';

describe('toSentence', () => {
  it.each([
    ['is required', 'such as 2', 'is required; such as 2'],
    ['must be 14 digits', null, 'must be 14 digits'],
    ['The state is missing.', 'Send it.', 'The state is missing. Send it.'],
  ])('puts %j and %j together as one text', (message, hint, sentence) => {
    expect(toSentence({ message, hint })).toBe(sentence);
  });
});

describe('withFullStop', () => {
  it.each([
    ['Invalid TIN', 'Invalid TIN.'],
    ['The TIN is not known.', 'The TIN is not known.'],
    ['Is it known?', 'Is it known?'],
  ])('lets another sentence follow %j', (text, sentence) => {
    expect(withFullStop(text)).toBe(sentence);
  });
});

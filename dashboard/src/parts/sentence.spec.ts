import { describe, expect, it } from 'vitest';
import { describeWarning, toSentence, withFullStop } from './sentence';

describe('toSentence', () => {
  it.each([
    ['is required', 'such as 2', 'is required; such as 2'],
    ['must be 14 digits', null, 'must be 14 digits'],
    ['The state is missing.', 'Send it.', 'The state is missing. Send it.'],
  ])('joins %j and %j', (message, hint, sentence) => {
    expect(toSentence({ message, hint })).toBe(sentence);
  });
});

describe('withFullStop', () => {
  it.each([
    ['Invalid TIN', 'Invalid TIN.'],
    ['The TIN is not known.', 'The TIN is not known.'],
    ['Is it known?', 'Is it known?'],
  ])('ends %j with punctuation', (text, sentence) => {
    expect(withFullStop(text)).toBe(sentence);
  });
});

describe('describeWarning', () => {
  it.each([
    [
      '/documents/0/relatedInvoice/referenceId',
      'documents[0].relatedInvoice.referenceId names invoice INV-1, which has RM 40.00 left to credit',
      'lower the amounts',
      ['Parent invoice’s number names invoice INV-1, which has RM 40.00 left to credit', 'Lower the amounts'],
    ],
    [
      '/documents/0/lineItems/1/taxAmount',
      'documents[0].lineItems[1].taxAmount is stated as exempted tax, since taxType is E',
      'leave taxExemptionReason out',
      ['Line 2, tax amount is stated as exempted tax, since tax type is E', 'Leave reason for the exemption out'],
    ],
    ['', 'the body is doubtful', null, ['The body is doubtful', null]],
  ])('replaces the field path of %j with its name', (pointer, message, hint, [said, todo]) => {
    expect(describeWarning({ pointer, message, hint })).toEqual({ message: said, hint: todo });
  });
});

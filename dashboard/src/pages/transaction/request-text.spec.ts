import { expect, it } from 'vitest';
import { laidOut, findLine, syntaxProblem } from './request-text';

const TEXT = laidOut(
  JSON.stringify({
    submission_type: 'non-consolidated',
    documents: [
      {
        referenceId: 'A',
        recipient: { name: 'B', tin: 'C' },
        lineItems: [{ description: 'one' }, { description: 'two', quantity: 1 }],
      },
    ],
  }),
);

it.each([
  ['', '{'],
  ['/submission_type', '"submission_type": "non-consolidated"'],
  ['/documents/0', '{'],
  ['/documents/0/referenceId', '"referenceId": "A"'],
  ['/documents/0/recipient/tin', '"tin": "C"'],
  ['/documents/0/lineItems/1/quantity', '"quantity": 1'],
  ['/documents/0/recipient/postcode', '"recipient": {'],
])('finds the line of %s', (pointer, content) => {
  const line = findLine(pointer, TEXT);
  expect(TEXT.split('\n')[(line ?? 0) - 1].trim().replace(/,$/, '')).toBe(content);
});

it('says of what is no JSON why, and finds no line in it', () => {
  expect(findLine('/a', '{')).toBeNull();
  expect(syntaxProblem('{')?.message).toMatch(/^This is not JSON: /);
  expect([syntaxProblem('{}'), laidOut('{')]).toEqual([null, '{']);
});

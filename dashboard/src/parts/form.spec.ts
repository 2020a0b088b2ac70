import { describe, expect, it } from 'vitest';
import { sortProblems } from './form';

const problem = (pointer: string, message = 'is wrong', hint: string | null = null) => ({ pointer, message, hint });

describe('sortProblems', () => {
  const values = { email: '', address: { line1: '', 'a/b': '' }, tags: ['x'] };

  it('matches a problem and its hint to its field', () => {
    expect(sortProblems([problem('/email', 'is required', 'such as a@b.example')], values)).toEqual({
      errors: { email: 'is required; such as a@b.example' },
      others: [],
    });
  });

  it('matches nested, listed and escaped fields and keeps the first problem of each', () => {
    const pointers = ['/address/line1', '/address/a~1b', '/tags/0'];
    const problems = [...pointers.map((pointer) => problem(pointer)), problem('/tags/0', 'second')];
    expect(sortProblems(problems, values).errors).toEqual({
      'address.line1': 'is wrong',
      'address.a/b': 'is wrong',
      'tags.0': 'is wrong',
    });
  });

  it.each(['/unknown', '/address', '', '/toString', '/tags/7'])('matches %j to no field', (pointer) => {
    expect(sortProblems([problem(pointer)], values)).toEqual({ errors: {}, others: [problem(pointer)] });
  });
});

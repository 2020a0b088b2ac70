import { describe, expect, it } from 'vitest';
import { keepTicked } from './ticked';

interface Row {
  transactionId: string;
  status: string;
}

const row = (transactionId: string, status = 'Valid'): Row => ({ transactionId, status });
const tick = (...rows: Row[]) => ({ rows: new Map(rows.map((one) => [one.transactionId, one])), gone: 0 });

describe('ticked rows', () => {
  it('become what the list has of them, and those that it was asked for and has not are counted as gone', () => {
    const ticked = tick(row('a'), row('b'), row('c'));
    const { rows, gone } = keepTicked<Row, typeof ticked>(ticked, [row('a', 'Cancelled'), row('x')], ['a', 'b']);
    expect([...rows.values()]).toEqual([row('a', 'Cancelled'), row('c')]);
    expect(gone).toBe(1);
  });

  it('are the same object as long as nothing of them is different, or nothing is known', () => {
    const a = row('a');
    const ticked = tick(a, row('b'));
    expect(keepTicked<Row, typeof ticked>(ticked, [a, row('x')], ['a'])).toBe(ticked);
    expect(keepTicked<Row, typeof ticked>(ticked, undefined, ['a', 'b'])).toBe(ticked);
  });
});

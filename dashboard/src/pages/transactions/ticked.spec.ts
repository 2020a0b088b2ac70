import { describe, expect, it } from 'vitest';
import { keepTicked } from './ticked';

interface Row {
  transactionId: string;
  status: string;
}

const row = (transactionId: string, status = 'Valid'): Row => ({ transactionId, status });
const tick = (...rows: Row[]) => ({ rows: new Map(rows.map((one) => [one.transactionId, one])), gone: 0 });

describe('keepTicked', () => {
  it('updates the rows and counts those that have left the list', () => {
    const ticked = tick(row('a'), row('b'), row('c'));
    const { rows, gone } = keepTicked<Row, typeof ticked>(ticked, [row('a', 'Cancelled'), row('x')], ['a', 'b']);
    expect([...rows.values()]).toEqual([row('a', 'Cancelled'), row('c')]);
    expect(gone).toBe(1);
  });

  it('returns the same object when no row has changed', () => {
    const a = row('a');
    const ticked = tick(a, row('b'));
    expect(keepTicked<Row, typeof ticked>(ticked, [a, row('x')], ['a'])).toBe(ticked);
    expect(keepTicked<Row, typeof ticked>(ticked, undefined, ['a', 'b'])).toBe(ticked);
  });
});

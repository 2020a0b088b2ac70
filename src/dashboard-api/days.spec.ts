import { expect, it } from 'vitest';
import { listLastDays, computeIdRange } from './days.js';

it('day list ends with the day of the timestamp', () => {
  expect(listLastDays(3, new Date('2026-02-28T16:00:00Z'))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

it('id range covers the days up to the cursor', () => {
  const days = { from: '2026-03-01', to: '2026-03-01' };
  const time = Date.parse('2026-02-28T16:00:00Z').toString(16).padStart(12, '0');
  const range = computeIdRange(days, null);
  expect(range.first.replaceAll('-', '')).toBe(time.padEnd(32, '0'));
  expect(range.end > range.first).toBe(true);
  const inside = `${range.first.slice(0, -1)}1`;
  expect(computeIdRange(days, inside)).toEqual({ first: range.first, end: inside });
  expect(computeIdRange(days, 'ffffffff-ffff-7fff-bfff-ffffffffffff')).toEqual(range);
  const nil = '00000000-0000-0000-0000-000000000000';
  expect(computeIdRange({ from: '0000-01-01', to: '1969-12-31' }, null)).toEqual({ first: nil, end: nil });
});

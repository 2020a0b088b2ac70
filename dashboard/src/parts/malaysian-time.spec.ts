import { expect, it } from 'vitest';
import {
  computeDayEnd,
  formatInstant,
  formatMalaysianDay,
  formatMalaysianSecond,
  formatMalaysianTime,
} from './malaysian-time';

it('shows instants on a clock in Malaysia, also across midnight', () => {
  expect(formatMalaysianTime('2026-01-31T08:05:59.999Z')).toBe('2026-01-31 16:05');
  expect(formatMalaysianTime('2026-12-31T16:00:00Z')).toBe('2027-01-01 00:00');
  expect(formatMalaysianSecond('2026-01-31T16:00:05.999Z')).toBe('2026-02-01 00:00:05');
  expect(formatInstant('2026-01-31T15:59:59Z')).toBe('2026-01-31 23:59 MYT');
  expect(formatMalaysianDay(Date.parse('2026-12-31T15:59:59Z'))).toBe('2026-12-31');
  expect(new Date(computeDayEnd('2026-12-31')).toISOString()).toBe('2026-12-31T15:59:59.000Z');
});

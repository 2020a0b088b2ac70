import { expect, test } from 'vitest';
import { findOutage } from './outage.js';

const submit = (
  startedAt: number,
  endedAt: number,
  status: number | null,
): Parameters<typeof findOutage>[0][number] => ({
  path: '/submit',
  startedAt,
  endedAt,
  status,
});

test('an outage ends with the submit that is accepted after the last failure', () => {
  const submits = [
    submit(900, 950, 200),
    submit(1_100, 1_200, 503),
    submit(1_300, 1_400, 200),
    submit(1_350, 6_350, null),
    submit(6_400, 6_500, 200),
    submit(6_600, 6_700, 200),
  ];
  expect(findOutage(submits, 1_000)).toBe(5.5);
});

test('a submit that was kept waiting ends the outage, and a pause of the clients is none', () => {
  expect(findOutage([submit(1_100, 4_000, 200), submit(20_000, 20_100, 200)], 1_000)).toBe(3);
  expect(findOutage([submit(900, 950, 503), submit(20_000, 20_100, 200)], 1_000)).toBe(0);
});

test('an outage that has not ended is endless', () => {
  expect(findOutage([submit(900, 950, 200), submit(1_100, 1_200, 503)], 1_000)).toBe(Infinity);
  expect(findOutage([], 1_000)).toBe(Infinity);
});

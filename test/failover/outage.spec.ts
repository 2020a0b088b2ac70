import { expect, it } from 'vitest';
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

it('findOutage() ends an outage at the first accepted submit after the last failure', () => {
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

it('findOutage() counts slow submits but not pauses of the clients', () => {
  expect(findOutage([submit(1_100, 4_000, 200), submit(20_000, 20_100, 200)], 1_000)).toBe(3);
  expect(findOutage([submit(900, 950, 503), submit(20_000, 20_100, 200)], 1_000)).toBe(0);
});

it('findOutage() returns Infinity if no later submit is accepted', () => {
  expect(findOutage([submit(900, 950, 200), submit(1_100, 1_200, 503)], 1_000)).toBe(Infinity);
  expect(findOutage([], 1_000)).toBe(Infinity);
});

import { expect, it } from 'vitest';
import { RUNS } from './runs.js';

const request = { seed: 5, kills: 30, targets: ['api-1', 'api-2', 'dispatcher-1', 'dispatcher-2'] };

it('killed-dispatchers kills each dispatcher every two seconds', () => {
  const { faults } = RUNS['killed-dispatchers'].plan(request);
  expect(faults).toHaveLength(30);
  for (const target of ['dispatcher-1', 'dispatcher-2']) {
    const times = faults.flatMap(({ atMs, fault }) => ('target' in fault && fault.target === target ? [atMs] : []));
    expect(times).toHaveLength(15);
    for (const [index, atMs] of times.slice(1).entries()) expect(atMs - times[index]).toBe(2_000);
  }
});

it('lost-responses drops every fifth response', () => {
  const { faults } = RUNS['lost-responses'].plan(request);
  expect(faults.map(({ fault }) => fault)).toMatchObject([{ kind: 'authority', fault: 'drop-after', every: 5 }]);
});

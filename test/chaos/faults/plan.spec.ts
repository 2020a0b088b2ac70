import { expect, it } from 'vitest';
import { planFaults, THROTTLE_MS } from './plan.js';

const targets = ['api-1', 'api-2', 'dispatcher-1', 'dispatcher-2'];

it('planFaults() is deterministic for a seed', () => {
  const plan = planFaults({ seed: 5, kills: 30, targets });
  expect(planFaults({ seed: 5, kills: 30, targets })).toEqual(plan);
  expect(planFaults({ seed: 6, kills: 30, targets })).not.toEqual(plan);
});

it('planFaults() plans the requested number of kills of processes and PostgreSQL', () => {
  const { faults } = planFaults({ seed: 5, kills: 300, targets });
  const kinds = faults.map(({ fault }) => fault.kind);
  expect(kinds.filter((kind) => kind === 'kill' || kind === 'kill-postgres')).toHaveLength(300);
  expect(new Set(faults.flatMap(({ fault }) => (fault.kind === 'kill' ? [fault.target] : [])))).toEqual(
    new Set(targets),
  );
  expect(kinds).toContain('kill-postgres');
});

it('planFaults() plans no other fault during a throttle', () => {
  const { faults } = planFaults({ seed: 5, kills: 300, targets });
  const throttles = faults.filter(({ fault }) => fault.kind === 'throttle');
  expect(throttles.length).toBeGreaterThan(10);
  for (const throttle of throttles) {
    const overlapping = faults.filter(({ atMs, fault }) => {
      const endMs = atMs + ('ms' in fault ? fault.ms : 0);
      return fault !== throttle.fault && endMs > throttle.atMs && atMs < throttle.atMs + THROTTLE_MS;
    });
    expect(overlapping).toEqual([]);
  }
});

import { describe, expect, it } from 'vitest';
import { type PairOptions, ROUNDS_PER_PROCESS, runPairs, type Side } from '../../bench/measure/pairs.js';

/** Calls of both sides in order. */
type Step = readonly [side: string, step: 'begin' | 'run' | 'end' | 'restart', value?: number | boolean];

const OPTIONS: PairOptions = { rounds: 4, seconds: 1, requestsMin: 10, isWarm: false, progress: () => undefined };

interface Machine {
  /** Seconds per request in the n-th run of both sides. */
  secondsOfRun(run: number): number;
  runs: number;
}

/** Builds a side that is `rate` times as fast as the machine. */
function buildSide(name: string, rate: number, { machine, steps }: { machine: Machine; steps: Step[] }): Side {
  return {
    begin: async () => void steps.push([name, 'begin']),
    run: async (requests) => {
      steps.push([name, 'run', requests]);
      machine.runs += 1;
      const seconds = (requests * machine.secondsOfRun(machine.runs)) / rate;
      return { requests, seconds, cpuSeconds: requests / rate };
    },
    end: async (isComplete) => void steps.push([name, 'end', isComplete]),
    restart: async () => void steps.push([name, 'restart']),
  };
}

function buildPair(rates: { current: number; other: number }, secondsOfRun: Machine['secondsOfRun'] = () => 1) {
  const steps: Step[] = [];
  const machine: Machine = { runs: 0, secondsOfRun };
  const current = buildSide('current', rates.current, { machine, steps });
  return { steps, pair: { size: 0, current, other: buildSide('other', rates.other, { machine, steps }) } };
}

const listRuns = (steps: readonly Step[]): Step[] => steps.filter(([, step]) => step === 'run');

describe('the comparison of two builds', () => {
  it('swaps the order of the builds in each round', async () => {
    const { pair, steps } = buildPair({ current: 100, other: 100 });
    await runPairs([pair], OPTIONS);
    const order = listRuns(steps).map(([side]) => side);
    expect(order).toEqual(['current', 'other', 'other', 'current', 'current', 'other', 'other', 'current']);
  });

  it('sends the same number of requests to both builds', async () => {
    const { pair, steps } = buildPair({ current: 50, other: 200 });
    const [{ rounds }] = await runPairs([pair], { ...OPTIONS, isWarm: true });
    for (const { current, other } of rounds) expect(current.requests).toBe(other.requests);
    // A request takes 20 ms and 5 ms, so the combined rate is 80 per second.
    expect(listRuns(steps).at(-1)?.[2]).toBe(80);
  });

  it('computes a ratio that is independent of a slowing machine', async () => {
    const { pair } = buildPair({ current: 95, other: 100 }, (run) => Math.ceil(run / 2));
    const [{ rate, cpu, currentPerSecond }] = await runPairs([pair], { ...OPTIONS, rounds: 20 });
    expect(rate.least).toBeCloseTo(0.95);
    expect(rate.most).toBeCloseTo(0.95);
    expect(cpu?.median).toBeCloseTo(0.95);
    expect(currentPerSecond).toBeLessThan(95 / 5);
  });

  it('omits the CPU ratio if the system does not report CPU time', async () => {
    const { pair } = buildPair({ current: 100, other: 100 });
    const run = pair.other.run;
    pair.other.run = async (requests) => ({ ...(await run(requests)), cpuSeconds: Number.NaN });
    const [{ cpu }] = await runPairs([pair], OPTIONS);
    expect(cpu).toBeNull();
  });

  it('restarts and warms up both builds after a fixed number of rounds', async () => {
    const { pair, steps } = buildPair({ current: 100, other: 100 });
    const rounds = ROUNDS_PER_PROCESS + 1;
    const [result] = await runPairs([pair], { ...OPTIONS, rounds, isWarm: true });
    expect(result.rounds).toHaveLength(rounds);
    expect(steps.filter(([, step]) => step === 'restart')).toEqual([
      ['current', 'restart'],
      ['other', 'restart'],
    ]);
    const warmUps = 2 * 2;
    expect(listRuns(steps)).toHaveLength(2 * (rounds + warmUps));
  });

  it('deletes the rows of both builds if a run fails', async () => {
    const { pair, steps } = buildPair({ current: 100, other: 100 });
    pair.other.run = () => Promise.reject(new Error('502 Bad Gateway'));
    pair.current.end = () => Promise.reject(new Error('nothing to take out'));
    await expect(runPairs([pair], OPTIONS)).rejects.toThrow('502 Bad Gateway');
    expect(steps.at(-1)).toEqual(['other', 'end', false]);
  });
});

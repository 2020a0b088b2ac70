import { describe, expect, it } from 'vitest';
import { type BuildSide, type PairOptions, ROUNDS_PER_PROCESS, runPairs } from '../../bench/measure/pairs.js';

/** What the sides are told, in the order in which they are told it. */
type Step = readonly [side: string, step: 'begin' | 'run' | 'end' | 'restart', value?: number | boolean];

const OPTIONS: PairOptions = { rounds: 4, seconds: 1, requestsMin: 10, isWarm: false, progress: () => undefined };

interface Machine {
  /** Seconds that a request takes: of the n-th run of both sides. */
  secondsOfRun(run: number): number;
  runs: number;
}

/** A build that does `rate` requests in the time that the machine needs for one. */
function buildSide(name: string, rate: number, { machine, steps }: { machine: Machine; steps: Step[] }): BuildSide {
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

describe('two builds in turn', () => {
  it('runs both in each round, and lets them change places from round to round', async () => {
    const { pair, steps } = buildPair({ current: 100, other: 100 });
    await runPairs([pair], OPTIONS);
    const order = listRuns(steps).map(([side]) => side);
    expect(order).toEqual(['current', 'other', 'other', 'current', 'current', 'other', 'other', 'current']);
  });

  it('gives both the same number of requests, also when one is slower', async () => {
    const { pair, steps } = buildPair({ current: 50, other: 200 });
    const [{ rounds }] = await runPairs([pair], { ...OPTIONS, isWarm: true });
    for (const { current, other } of rounds) expect(current.requests).toBe(other.requests);
    // A request takes 20 ms and 5 ms: 80 of both together a second.
    expect(listRuns(steps).at(-1)?.[2]).toBe(80);
  });

  it('tells the ratio of the builds and not of the machine that grows slower all the time', async () => {
    const { pair } = buildPair({ current: 95, other: 100 }, (run) => Math.ceil(run / 2));
    const [{ rate, cpu, currentPerSecond }] = await runPairs([pair], { ...OPTIONS, rounds: 20 });
    expect(rate.least).toBeCloseTo(0.95);
    expect(rate.most).toBeCloseTo(0.95);
    expect(cpu?.median).toBeCloseTo(0.95);
    expect(currentPerSecond).toBeLessThan(95 / 5);
  });

  it('tells no CPU time where the system does not', async () => {
    const { pair } = buildPair({ current: 100, other: 100 });
    const run = pair.other.run;
    pair.other.run = async (requests) => ({ ...(await run(requests)), cpuSeconds: Number.NaN });
    const [{ cpu }] = await runPairs([pair], OPTIONS);
    expect(cpu).toBeNull();
  });

  it('gives both builds new processes after as many rounds, and warms them up outside the rounds', async () => {
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

  it('takes out what both wrote when one run fails, and tells of that run', async () => {
    const { pair, steps } = buildPair({ current: 100, other: 100 });
    pair.other.run = () => Promise.reject(new Error('502 Bad Gateway'));
    pair.current.end = () => Promise.reject(new Error('nothing to take out'));
    await expect(runPairs([pair], OPTIONS)).rejects.toThrow('502 Bad Gateway');
    expect(steps.at(-1)).toEqual(['other', 'end', false]);
  });
});

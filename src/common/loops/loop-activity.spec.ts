import { describe, expect, it } from 'vitest';
import { LoopActivity } from './loop-activity.js';

const MINUTE_MS = 60_000;

it('loop activity lists a loop as stuck after 15 minutes without a finished tick', () => {
  const activity = new LoopActivity();
  expect(activity.state).toBe('starting');
  const begunAt = performance.now();
  activity.begin(['submit', 'poll']);
  expect(activity.state).toBe('running');
  expect(activity.listStuck(begunAt + 14 * MINUTE_MS)).toEqual([]);
  expect(activity.listStuck(performance.now() + 16 * MINUTE_MS)).toEqual(['submit', 'poll']);
});

it('loop activity does not list a loop as stuck after a finished tick', () => {
  const activity = new LoopActivity();
  activity.begin(['submit', 'poll']);
  activity.beginTick('poll');
  activity.noteSuccess('poll', 0, performance.now() + 10 * MINUTE_MS);
  expect(activity.listStuck(performance.now() + 16 * MINUTE_MS)).toEqual(['submit']);
});

it('loop activity reports that the loops are not running during a drain', () => {
  const activity = new LoopActivity();
  activity.begin([]);
  activity.drain();
  expect(activity.state).toBe('draining');
});

describe('failing loop', () => {
  const fail = (activity: LoopActivity, times: number, error = new Error('disk full')): void => {
    for (let tick = 1; tick <= times; tick += 1) {
      activity.beginTick('submit');
      activity.noteFailure('submit', error, 0);
    }
  };
  /** Finishes a tick without work. */
  const succeed = (activity: LoopActivity, now = 1): void => {
    activity.beginTick('submit');
    activity.noteSuccess('submit', 0, now);
  };

  it('is listed after the fifth failure with the last error', () => {
    const activity = new LoopActivity();
    fail(activity, 4);
    expect(activity.listFailing()).toEqual([]);
    const error = new Error('last');
    fail(activity, 1, error);
    activity.beginTick('poll');
    activity.noteFailure('poll', error);
    expect(activity.listFailing()).toEqual([{ loop: 'submit', error }]);
  });

  it('has its failure count reset after a tick with work', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    activity.noteSuccess('submit', 1, 1);
    fail(activity, 4);
    expect(activity.listFailing()).toEqual([]);
  });

  it('stays listed while only ticks without work succeed', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    fail(activity, 1);
    activity.noteSuccess('submit', 0, 1);
    expect(activity.listFailing()).toHaveLength(1);
  });

  it('stays listed while another tick is running', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    succeed(activity);
    expect(activity.listFailing()).toHaveLength(1);
  });

  it('is removed when all its ticks have succeeded', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    succeed(activity);
    activity.noteSuccess('submit', 0, 2);
    expect(activity.listFailing()).toEqual([]);
  });

  it('is listed again after another failure within 20 seconds', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    succeed(activity, 19_999);
    expect(activity.listFailing()).toEqual([]);
    fail(activity, 1);
    expect(activity.listFailing()).toHaveLength(1);
  });

  it('has its failure count reset by an empty tick 20 seconds after the last failure', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    succeed(activity, 20_000);
    fail(activity, 4);
    expect(activity.listFailing()).toEqual([]);
  });
});

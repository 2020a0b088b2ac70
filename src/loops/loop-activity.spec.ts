import { describe, expect, it } from 'vitest';
import { LoopActivity } from './loop-activity.js';

const MINUTE_MS = 60_000;

it('names the loops of which no tick has ended for a quarter of an hour, and no other', () => {
  const activity = new LoopActivity();
  expect(activity.state).toBe('starting');
  const begunAt = performance.now();
  activity.begin(['submit', 'poll']);
  expect(activity.state).toBe('running');
  expect(activity.listStuck(begunAt + 14 * MINUTE_MS)).toEqual([]);
  expect(activity.listStuck(performance.now() + 16 * MINUTE_MS)).toEqual(['submit', 'poll']);
});

it('counts a tick that ended as a sign of life', () => {
  const activity = new LoopActivity();
  activity.begin(['submit', 'poll']);
  activity.beginTick('poll');
  activity.noteSuccess('poll', 0, performance.now() + 10 * MINUTE_MS);
  expect(activity.listStuck(performance.now() + 16 * MINUTE_MS)).toEqual(['submit']);
});

it('is running no more when it drains', () => {
  const activity = new LoopActivity();
  activity.begin([]);
  activity.drain();
  expect(activity.state).toBe('draining');
});

describe('A loop that fails', () => {
  const fail = (activity: LoopActivity, times: number, error = new Error('disk full')): void => {
    for (let tick = 1; tick <= times; tick += 1) {
      activity.beginTick('submit');
      activity.noteFailure('submit', error, 0);
    }
  };
  /** Ends a tick that found no work. */
  const succeed = (activity: LoopActivity, now = 1): void => {
    activity.beginTick('submit');
    activity.noteSuccess('submit', 0, now);
  };

  it('is named after the fifth failure, with the last error', () => {
    const activity = new LoopActivity();
    fail(activity, 4);
    expect(activity.listFailing()).toEqual([]);
    const error = new Error('last');
    fail(activity, 1, error);
    activity.beginTick('poll');
    activity.noteFailure('poll', error);
    expect(activity.listFailing()).toEqual([{ loop: 'submit', error }]);
  });

  it('begins to count again after a tick that did work', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    activity.noteSuccess('submit', 1, 1);
    fail(activity, 4);
    expect(activity.listFailing()).toEqual([]);
  });

  it('stays named while one tick fails at the only work and the others find none', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    fail(activity, 1);
    activity.noteSuccess('submit', 0, 1);
    expect(activity.listFailing()).toHaveLength(1);
  });

  it('stays named while another tick has not ended', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    succeed(activity);
    expect(activity.listFailing()).toHaveLength(1);
  });

  it('is no longer named once all of its ticks have ended without a failure', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    activity.beginTick('submit');
    succeed(activity);
    activity.noteSuccess('submit', 0, 2);
    expect(activity.listFailing()).toEqual([]);
  });

  it('is named again after the next failure within twenty seconds', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    succeed(activity, 19_999);
    expect(activity.listFailing()).toEqual([]);
    fail(activity, 1);
    expect(activity.listFailing()).toHaveLength(1);
  });

  it('is counted from zero after a tick without work succeeds 20 seconds after the last failure', () => {
    const activity = new LoopActivity();
    fail(activity, 5);
    succeed(activity, 20_000);
    fail(activity, 4);
    expect(activity.listFailing()).toEqual([]);
  });
});

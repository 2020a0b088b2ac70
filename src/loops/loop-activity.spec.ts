import { expect, it } from 'vitest';
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

it('takes a tick that ended for a sign of life', () => {
  const activity = new LoopActivity();
  activity.begin(['submit', 'poll']);
  activity.noteTick('poll', performance.now() + 10 * MINUTE_MS);
  expect(activity.listStuck(performance.now() + 16 * MINUTE_MS)).toEqual(['submit']);
});

it('is running no more when it drains', () => {
  const activity = new LoopActivity();
  activity.begin([]);
  activity.drain();
  expect(activity.state).toBe('draining');
});

it('names a loop after five failed ticks in a row, with the last error, until one succeeds', () => {
  const activity = new LoopActivity();
  activity.begin(['submit', 'poll']);
  for (let tick = 1; tick <= 4; tick += 1) activity.noteFailure('submit', new Error('first'));
  expect(activity.listFailing()).toEqual([]);
  const error = new Error('last');
  activity.noteFailure('submit', error);
  activity.noteFailure('poll', error);
  expect(activity.listFailing()).toEqual([{ loop: 'submit', error }]);
  activity.noteSuccess('submit');
  activity.noteFailure('submit', error);
  expect(activity.listFailing()).toEqual([]);
});

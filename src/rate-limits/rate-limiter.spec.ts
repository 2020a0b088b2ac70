import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { RateLimiter } from './rate-limiter.service.js';

const LIMIT = { bucket: 'key a', quota: 1 };
const IMMEDIATE = 100;
/** With more than those that are sent immediately on a slow machine. */
const MANY = 2_000 + 10 * IMMEDIATE;

it('no more than 2,000 refusals wait at the same time: the next one is sent immediately, and waits when there is room again', async () => {
  // Refusals take no lease: the database is never asked.
  const limiter = new RateLimiter(new DataSource({ type: 'postgres' }));
  const waiting = Array.from({ length: MANY }, () => limiter.awaitRefusalTurn(LIMIT));
  const outcome = await Promise.race([limiter.awaitRefusalTurn(LIMIT).then(() => 'sent'), nextTurn('waits')]);
  expect(outcome).toBe('sent');
  await Promise.all(waiting);
  const refusals = Array.from({ length: IMMEDIATE + 1 }, () => limiter.awaitRefusalTurn(LIMIT));
  expect(await Promise.race([refusals.at(-1)?.then(() => 'sent'), nextTurn('waits')])).toBe('waits');
});

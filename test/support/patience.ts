import type { Answer } from './client.js';
import { until } from './until.js';

/**
 * The answer to a call that is made again, with the same idempotency-key, for as long as the service says that its database
 * keeps it waiting: on a busy machine that is no answer to what a test asks.
 */
export async function patiently(call: () => Promise<Answer>): Promise<Answer> {
  let answer = await call();
  await until('the database answers in time', async () => {
    if (answer.status !== 503 || answer.body.code !== 'service_unavailable') return true;
    answer = await call();
    return false;
  });
  return answer;
}

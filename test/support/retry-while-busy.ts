import type { ApiResponse } from './client.js';
import { until } from './until.js';

/**
 * The response to a call that is made again, with the same idempotency-key, for as long as the service says that its
 * database keeps it waiting: on a busy machine that is no answer to what a test asks.
 */
export async function retryWhileBusy(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  let response = await call();
  await until('the database answers in time', async () => {
    if (response.status !== 503 || response.body.code !== 'service_unavailable') return true;
    response = await call();
    return false;
  });
  return response;
}

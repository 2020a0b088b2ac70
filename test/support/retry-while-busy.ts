import type { ApiResponse } from './client.js';
import { until } from './until.js';

const BUSY = ['service_unavailable', 'large_body_not_processed'];

/**
 * Repeats a call while the response is 503 because the service waits too long for its database or for a worker thread.
 * On a busy machine, such a response is not a fault. The call must reuse its idempotency-key.
 */
export async function retryWhileBusy(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  let response = await call();
  await until('the service is less busy', async () => {
    if (response.status !== 503 || !BUSY.includes(String(response.body.code))) return true;
    response = await call();
    return false;
  });
  return response;
}

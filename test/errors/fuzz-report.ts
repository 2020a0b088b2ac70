import type { ApiResponse } from '../support/client.js';
import { RANDOM_SEED } from '../support/random.js';

/** JSON as it was sent, or bytes in base64. */
export type SentBody = string | Buffer;

/**
 * Checks a response. Adds seed, body and response to the error, because a rare failure could not be reproduced
 * without them.
 */
export function judged(sent: SentBody, response: ApiResponse, judge: () => void): void {
  try {
    judge();
  } catch (error) {
    throw reported(error, sent, `answer: ${response.status} ${response.text}`);
  }
}

/** Sends a body and returns the response. An error includes the seed and the body. */
export async function answered(sent: SentBody, call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  try {
    return await call();
  } catch (error) {
    throw reported(error, sent, 'no answer');
  }
}

function reported(error: unknown, sent: SentBody, outcome: string): Error {
  const body = typeof sent === 'string' ? sent : `base64 ${sent.toString('base64')}`;
  const found = error instanceof Error ? error.message : String(error);
  return new Error([found, `RANDOM_SEED=${RANDOM_SEED}`, `body: ${body}`, outcome].join('\n'), { cause: error });
}

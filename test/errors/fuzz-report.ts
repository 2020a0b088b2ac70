import type { ApiResponse } from '../support/client.js';
import { RANDOM_SEED } from '../support/random.js';

/** A body as a report shows it: JSON as it was sent, bytes in base64. */
export type SentBody = string | Buffer;

/**
 * Runs a judgement of a response. What it throws, it throws on with the seed, the whole body and the whole answer: a
 * body that fails once in a million is not found again without them.
 */
export function judged(sent: SentBody, response: ApiResponse, judge: () => void): void {
  try {
    judge();
  } catch (error) {
    throw reported(error, sent, `answer: ${response.status} ${response.text}`);
  }
}

/** The response to a body, or the error that came instead, with the seed and the body. */
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

import { expect, it } from 'vitest';
import type { ApiResponse } from '../support/client.js';
import { RANDOM_SEED } from '../support/random.js';
import { answered, judged } from './fuzz-report.js';

const BODY = JSON.stringify({ documents: 'x'.repeat(50_000) });
const ANSWER: ApiResponse = { status: 500, headers: new Headers(), text: '{"code":"internal_error"}', body: {} };

it('fuzz report contains the seed, the body and the response of a failure', () => {
  const judge = (): void => judged(BODY, ANSWER, () => expect(ANSWER.status).toBe(200));
  for (const part of [
    'expected 500 to be 200',
    `RANDOM_SEED=${RANDOM_SEED}\n`,
    BODY,
    '500 {"code":"internal_error"}',
  ]) {
    expect(judge).toThrow(part);
  }
});

it('fuzz report contains the seed and the bytes of a request without a response', async () => {
  const call = answered(Buffer.from([0, 255]), () => Promise.reject(new Error('read ECONNRESET')));
  await expect(call).rejects.toThrow(`read ECONNRESET\nRANDOM_SEED=${RANDOM_SEED}\nbody: base64 AP8=\nno answer`);
});

import { connect } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import fc from 'fast-check';
import { type ApiResponse, countTenantRows, expectProblem } from '../support/client.js';
import { startFileService } from '../support/file-service.js';
import { readPeakBytes, startApiProcess } from '../support/processes.js';
import { buildPrograms } from '../support/program.js';
import { countRuns, RANDOM_SEED } from '../support/random.js';
import { CutOffResponse, rawRequest } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { listOperations } from './operations.js';
import { createStage, HIDDEN } from './people.js';
import { anyRequest, type FuzzRequest, toBytes } from './requests.js';

// Sends random requests to a built API process and checks the rules in docs/rules.md#error-responses.

const AT_ONCE = 20;
const REQUESTS = countRuns(2_000);
/** A busy machine sends fewer requests in this time. */
const { FUZZ_SECONDS = '110' } = process.env;
const REQUESTS_MIN = 1_000;
const SILENCE_MS_MAX = 5_000;

const service = await startFileService();
await buildPrograms();
const api = await startApiProcess({ ...service.settings, TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'error' });
afterAll(() => api.stop());
const stage = await createStage(service);

/** Returns the whole response as text. */
function sendBytes(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(SILENCE_MS_MAX, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString('utf8')));
    // Malformed bytes may end the connection in any way.
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

function expectHidden(request: FuzzRequest, text: string): void {
  if (request.isOperator) return;
  expect(text).not.toContain(HIDDEN);
  expect(stage.unknownIds.filter((id) => text.includes(id))).toEqual([]);
}

function judge(request: FuzzRequest, response: ApiResponse): void {
  expect(response.status).toBeLessThan(500);
  if (response.status >= 400 && request.method !== 'HEAD') expectProblem(response);
  expectHidden(request, response.text);
}

const REFUSALS: readonly number[] = [401, 403, 404];

/**
 * Returns whether a download was aborted because a concurrent request, such as the removal of a member, ended its
 * access (docs/rules.md#order-of-checks). A second request is then rejected.
 */
async function wasAccessEnded(request: FuzzRequest, error: unknown): Promise<boolean> {
  const isCutOff = error instanceof CutOffResponse && error.status === 200;
  if (!isCutOff || !request.operationId.startsWith('download')) return false;
  let status = 0;
  await until('the repeated download is below the rate limit', async () => {
    ({ status } = await rawRequest(api, request));
    return status !== 429;
  });
  return REFUSALS.includes(status);
}

/** Returns the status, or 0 for bytes without a response. */
async function play(request: FuzzRequest): Promise<number> {
  let answer = 'none';
  try {
    if (request.changes !== undefined) {
      answer = await sendBytes(toBytes(request));
      const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
      expect(answer).not.toMatch(/^HTTP\/1\.1 5/m);
      if (/^[45]/.test(status) && request.method !== 'HEAD')
        expect(answer).toMatch(/"message":".*"code":"[a-z][a-z0-9_]*"/s);
      expectHidden(request, answer);
      return Number(status);
    }
    const response = await rawRequest(api, request);
    answer = `${response.status} ${response.text}`;
    judge(request, response);
    return response.status;
  } catch (error) {
    if (await wasAccessEnded(request, error)) return 0;
    const found = error instanceof Error ? error.message : String(error);
    const { body } = request;
    const sent = JSON.stringify({
      ...request,
      body: Buffer.isBuffer(body) ? `base64 ${body.toString('base64')}` : body,
    });
    throw new Error(
      [found, `RANDOM_SEED=${RANDOM_SEED}`, `request: ${sent}`, `answer: ${answer}`, api.output.slice(-4_000)].join(
        '\n',
      ),
      { cause: error },
    );
  }
}

it(
  `${REQUESTS} random requests never return a 5xx or data of another organisation (RANDOM_SEED=${RANDOM_SEED})`,
  async () => {
    const before = await countTenantRows(service, stage.hidden);
    const statuses: Record<string, number> = {};
    const [tried, succeeded] = [new Set<string>(), new Set<string>()];
    await fc.assert(
      fc.asyncProperty(fc.array(anyRequest(stage), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
        const played = await Promise.all(requests.map(play));
        for (const [index, status] of played.entries()) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          tried.add(requests[index].operationId);
          if (status >= 200 && status < 300) succeeded.add(requests[index].operationId);
        }
      }),
      {
        numRuns: REQUESTS / AT_ONCE,
        seed: RANDOM_SEED,
        endOnFailure: true,
        interruptAfterTimeLimit: Number(FUZZ_SECONDS) * 1_000,
        markInterruptAsFailure: false,
      },
    );
    const sent = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const untouched = listOperations().filter(({ operationId }) => !succeeded.has(operationId));
    process.stdout.write(
      `${sent} requests (RANDOM_SEED=${RANDOM_SEED}): ${JSON.stringify(statuses)}\n` +
        `memory ${(readPeakBytes(api) / 1e6).toFixed(0)} MB; never 2xx: ${untouched.map(({ operationId }) => operationId).join(', ')}\n`,
    );
    // Detects errors after the response.
    expect(api.output).not.toContain('"level":50');
    expect(sent).toBeGreaterThanOrEqual(REQUESTS_MIN);
    expect(tried.size).toBe(listOperations().length);
    expect(await countTenantRows(service, stage.hidden)).toEqual(before);
    expect(api.isRunning()).toBe(true);
  },
  (Number(FUZZ_SECONDS) + 120) * 1_000,
);

// The clients of waiting.check.ts, which run in a separate process: what they cost is not the service's.
// node waiting-clients.mjs TASK, a JSON file { url, submitters, polls, submitsPerSecond, phaseSeconds }.
// Submits at a fixed rate, first alone and then next to the held polls, and prints what came as JSON.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const WAIT_SECONDS = 20;
/** Polls begin over this time, so that they also end at different times. */
const START_SECONDS = 30;

const { url, submitters, polls, submitsPerSecond, phaseSeconds } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const submitting = new http.Agent({ keepAlive: true });
const polling = new http.Agent({ keepAlive: true, maxSockets: Infinity });

function send(agent, path, { method = 'GET', headers, body }) {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Open loop: each submit begins at its time, whatever became of the ones before. */
async function submitSteadily(isOver) {
  const latenciesMs = [];
  const statuses = {};
  const sent = [];
  const startedAt = performance.now();
  for (let count = 0; !isOver(); count += 1) {
    await pause(Math.max(0, startedAt + (count * 1_000) / submitsPerSecond - performance.now()));
    sent.push(submitOnce(submitters[count % submitters.length], latenciesMs, statuses));
  }
  await Promise.all(sent);
  return { latenciesMs, statuses };
}

async function submitOnce({ apiKey, body }, latenciesMs, statuses) {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'idempotency-key': randomUUID() };
  const text = JSON.stringify(body).replace('REFERENCE', `W-${randomUUID()}`);
  const startedAt = performance.now();
  const { status } = await send(submitting, '/v1/einvoice/submit', { method: 'POST', headers, body: text });
  latenciesMs.push(performance.now() - startedAt);
  statuses[status] = (statuses[status] ?? 0) + 1;
}

async function hold({ apiKey, batchId }, index, state) {
  await pause((index / polls.length) * START_SECONDS * 1_000);
  const path = `/v1/saas/submissions/${batchId}/status`;
  const headers = { 'X-API-Key': apiKey };
  const first = await readFirst(path, headers);
  Object.assign(headers, { 'If-None-Match': first.headers.etag, Prefer: `wait=${WAIT_SECONDS}` });
  while (!state.isOver) {
    const startedAt = performance.now();
    const { status } = await send(polling, path, { headers });
    state.statuses[status] = (state.statuses[status] ?? 0) + 1;
    state.overMs = Math.max(state.overMs, performance.now() - startedAt - WAIT_SECONDS * 1_000);
  }
}

/** A rush of new connections may fill the listener's queue; a client connects again then. */
async function readFirst(path, headers) {
  for (;;) {
    try {
      return await send(polling, path, { headers });
    } catch (error) {
      if (error.code !== 'ECONNRESET') throw error;
      await pause(1_000);
    }
  }
}

const seconds = (count) => {
  const until = performance.now() + count * 1_000;
  return () => performance.now() > until;
};
await submitSteadily(seconds(3));
const before = await submitSteadily(seconds(phaseSeconds));
const state = { isOver: false, statuses: {}, overMs: 0 };
const held = Promise.all(polls.map((poll, index) => hold(poll, index, state)));
await pause((START_SECONDS + 5) * 1_000);
const during = await submitSteadily(seconds(phaseSeconds));
process.stdout.write(`${JSON.stringify({ before, during })}\n`);
state.isOver = true;
await held;
process.stdout.write(`${JSON.stringify({ polls: state.statuses, overMs: state.overMs })}\n`);
process.exit(0);

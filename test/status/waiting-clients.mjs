// The clients of waiting.check.ts, which run in a separate process: what they cost is not the service's.
// node waiting-clients.mjs TASK, a JSON file with the members that are read below.
// In each round, clients submit at a fixed rate, first alone and then next to the held polls. Prints a line of JSON for
// each round, and at the end one for what became of the polls.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const WAIT_SECONDS = 20;
/** A client's clock and ours differ by less. */
const EARLY_MS_MAX = 50;
const READERS = 8;
const WARM_UP_SECONDS = 3;
const HANG_UP_SECONDS_MAX = 10;

const task = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { url, metricsUrl, submitters, polls, submitsPerSecond, rounds, phaseSeconds, connectSeconds, changeSeconds } =
  task;
const submitting = new http.Agent({ keepAlive: true });

/** What became of all polls; `hungUp` are those that their client gave up. */
const outcome = { sent: 0, statuses: {}, hungUp: 0, errors: {}, early: 0, overMsMax: 0, changed: [] };

function send(agent, path, { method = 'GET', headers, body }) {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

const count = (counts, name) => (counts[name] = (counts[name] ?? 0) + 1);

/** Open loop: each submit begins at its time, whatever became of the ones before. */
async function submitSteadily(forSeconds) {
  const latenciesMs = [];
  const statuses = {};
  const sent = [];
  const startedAt = performance.now();
  for (let index = 0; index < forSeconds * submitsPerSecond; index += 1) {
    await pause(Math.max(0, startedAt + (index * 1_000) / submitsPerSecond - performance.now()));
    sent.push(submitOnce(submitters[index % submitters.length], latenciesMs, statuses));
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
  count(statuses, status);
}

const toPath = ({ batchId }) => `/v1/saas/submissions/${batchId}/status`;

/** Each client reads its batch once, as after its submit, a few of them at a time. */
async function readTags() {
  const agent = new http.Agent({ keepAlive: true });
  const left = polls.values();
  const readOn = async () => {
    for (const poll of left) {
      const { headers } = await send(agent, toPath(poll), { headers: { 'X-API-Key': poll.apiKey } });
      poll.tag = headers.etag;
    }
  };
  await Promise.all(Array.from({ length: READERS }, readOn));
  agent.destroy();
}

/** Clients connect one after the other, and each polls from then on, until all hang up. */
function startPolls() {
  const state = { isOver: false };
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
  const held = polls.map(async (poll, index) => {
    await pause((index / polls.length) * connectSeconds * 1_000);
    while (!state.isOver) await pollOnce(poll, agent, state);
  });
  return async () => {
    state.isOver = true;
    agent.destroy();
    await Promise.all(held);
  };
}

async function pollOnce(poll, agent, state) {
  const headers = { 'X-API-Key': poll.apiKey, 'If-None-Match': poll.tag, Prefer: `wait=${WAIT_SECONDS}` };
  const startedAt = performance.now();
  outcome.sent += 1;
  try {
    const response = await send(agent, toPath(poll), { headers });
    count(outcome.statuses, response.status);
    if (response.status === 304) judgeWait(performance.now() - startedAt - WAIT_SECONDS * 1_000);
    if (response.status === 200) outcome.changed.push({ batchId: poll.batchId, at: Date.now() });
    poll.tag = response.headers.etag ?? poll.tag;
    // Clients that poll again immediately are another load than the one that is measured.
    if (response.status >= 400) await pause(1_000 * Number(response.headers['retry-after'] ?? 1));
  } catch (error) {
    if (state.isOver) outcome.hungUp += 1;
    else count(outcome.errors, error.code ?? error.message);
  }
}

function judgeWait(overMs) {
  if (overMs < -EARLY_MS_MAX) outcome.early += 1;
  outcome.overMsMax = Math.max(outcome.overMsMax, overMs);
}

async function readHeld() {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^einvoice_held_polls (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** How many polls are still held after all clients have hung up. */
async function readLeftBehind() {
  for (let second = 0; second < HANG_UP_SECONDS_MAX && (await readHeld()) > 0; second += 1) await pause(1_000);
  return readHeld();
}

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

await readTags();
await submitSteadily(WARM_UP_SECONDS);
for (let round = 1; round <= rounds; round += 1) {
  const alone = await submitSteadily(phaseSeconds);
  const hangUp = startPolls();
  await pause((connectSeconds + 1) * 1_000);
  const nextToPolls = await submitSteadily(phaseSeconds);
  const held = await readHeld();
  print({ round, alone, nextToPolls, held });
  // In the last round, the check changes batches now.
  if (round === rounds) await pause(changeSeconds * 1_000);
  await hangUp();
  print({ leftBehind: await readLeftBehind() });
}
print(outcome);
process.exit(0);

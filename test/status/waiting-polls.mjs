// The held polls of waiting.check.ts, in a process without the submits whose latency is measured: 10,000 connections of
// one process delay what else it does. node waiting-polls.mjs TASK, started by waiting-clients.mjs, which says
// 'readTags', 'connect', 'hangUp' and 'report' by messages; each is answered when it is done.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { send } from './waiting-request.mjs';

const WAIT_SECONDS = 20;
/** A client's clock and ours differ by less. */
const EARLY_MS_MAX = 50;
const READERS = 8;

const { url, polls, connectSeconds } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** What became of all polls; `hungUp` are those that their client gave up. */
const outcome = { sent: 0, statuses: {}, hungUp: 0, errors: {}, early: 0, overMsMax: 0, changed: [] };
let hangUp = async () => {};

const count = (counts, name) => (counts[name] = (counts[name] ?? 0) + 1);
const toUrl = ({ batchId }) => `${url}/v1/saas/submissions/${batchId}/status`;

/** Each client reads its batch once, as after its submit, a few of them at a time. */
async function readTags() {
  const agent = new http.Agent({ keepAlive: true });
  const left = polls.values();
  const readOn = async () => {
    for (const poll of left) {
      const { headers } = await send(toUrl(poll), { agent, headers: { 'X-API-Key': poll.apiKey } });
      poll.tag = headers.etag;
    }
  };
  await Promise.all(Array.from({ length: READERS }, readOn));
  agent.destroy();
}

/** Clients connect one after the other, and each polls from then on, until all hang up. */
async function connect() {
  const state = { isOver: false };
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
  const held = polls.map(async (poll, index) => {
    await pause((index / polls.length) * connectSeconds * 1_000);
    while (!state.isOver) await pollOnce(poll, agent, state);
  });
  hangUp = async () => {
    state.isOver = true;
    agent.destroy();
    await Promise.all(held);
  };
  await pause((connectSeconds + 1) * 1_000);
}

async function pollOnce(poll, agent, state) {
  const headers = { 'X-API-Key': poll.apiKey, 'If-None-Match': poll.tag, Prefer: `wait=${WAIT_SECONDS}` };
  const startedAt = performance.now();
  outcome.sent += 1;
  try {
    const response = await send(toUrl(poll), { agent, headers });
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

const steps = { readTags, connect, hangUp: () => hangUp(), report: async () => outcome };

process.on('message', (step) => void steps[step]().then((result) => process.send({ step, result })));
process.on('disconnect', () => process.exit(0));

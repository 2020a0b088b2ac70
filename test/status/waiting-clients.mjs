// The clients of waiting.check.ts, in processes without the service: what they cost is not the service's.
// node waiting-clients.mjs TASK, a JSON file with the members that are read below.
// In each round, clients submit at a fixed rate, first alone and then next to the held polls, which are waiting-polls.mjs.
// Prints a line of JSON for each round, and at the end one for what became of the polls.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { send } from './waiting-request.mjs';

const WARM_UP_SECONDS = 3;
const HANG_UP_SECONDS_MAX = 10;

const task = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { url, metricsUrl, submitters, submitsPerSecond, rounds, phaseSeconds, changeSeconds } = task;
const agent = new http.Agent({ keepAlive: true });
const polls = fork(path.join(import.meta.dirname, 'waiting-polls.mjs'), [process.argv[2]]);
polls.on('exit', (code) => process.exit(code ?? 1));

/** @returns what the held polls' process answers when it has done it */
async function have(step) {
  polls.send(step);
  const [{ result }] = await once(polls, 'message');
  return result;
}

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
  const { status } = await send(`${url}/v1/einvoice/submit`, { agent, method: 'POST', headers, body: text });
  latenciesMs.push(performance.now() - startedAt);
  statuses[status] = (statuses[status] ?? 0) + 1;
}

async function readHeld() {
  const { text } = await send(metricsUrl, { agent });
  return Number(/^einvoice_held_polls (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** How many polls are still held after all clients have hung up. */
async function readLeftBehind() {
  for (let second = 0; second < HANG_UP_SECONDS_MAX && (await readHeld()) > 0; second += 1) await pause(1_000);
  return readHeld();
}

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

await have('readTags');
await submitSteadily(WARM_UP_SECONDS);
for (let round = 1; round <= rounds; round += 1) {
  const alone = await submitSteadily(phaseSeconds);
  await have('connect');
  const nextToPolls = await submitSteadily(phaseSeconds);
  const held = await readHeld();
  print({ round, alone, nextToPolls, held });
  // In the last round, the check changes batches now.
  if (round === rounds) await pause(changeSeconds * 1_000);
  await have('hangUp');
  print({ leftBehind: await readLeftBehind() });
}
print(await have('report'));
process.exit(0);

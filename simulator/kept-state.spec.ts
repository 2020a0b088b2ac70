import { existsSync } from 'node:fs';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClockFollower, type Simulator, startSimulator } from './simulator.js';
import { creditNoteFor, exampleEntry } from './testing/example-documents.js';
import { TestClient, control, send, supplierTin } from './testing/test-client.js';
import { startUnwaited } from './testing/unwaited-process.js';

const daySeconds = 24 * 60 * 60;

let parent = '';
let folder = '';
let started: Simulator[] = [];
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'einvoice-simulator-'));
  folder = path.join(parent, 'simulator');
  started = [];
});
afterEach(async () => {
  for (const simulator of started) await simulator.close();
  await rm(parent, { recursive: true, force: true });
});

async function start(inFolder = folder, follower?: ClockFollower): Promise<Simulator> {
  const simulator = await startSimulator({ folder: inFolder, follower });
  started.push(simulator);
  return simulator;
}

async function stop(simulator: Simulator): Promise<void> {
  started = started.filter((other) => other !== simulator);
  await simulator.close();
}

/** Copies the files that a process would leave if it were killed now. */
async function afterKill(): Promise<string> {
  const copy = path.join(parent, `copy-${started.length}`);
  await cp(folder, copy, { recursive: true });
  await rm(path.join(copy, 'owner'));
  return copy;
}

const readWireLog = async ({ url }: Simulator) => (await send(`${url}/_control/wire-log?after=0`)).json();
const readJournal = (inFolder: string) => readFile(path.join(inFolder, 'journal.jsonl'), 'utf8');

/** Returns a client of another simulator with the same token. */
const sameCaller = ({ url }: Simulator, { headers }: TestClient) =>
  new TestClient(url, headers.authorization?.replace('Bearer ', '') ?? '');

/** Creates at least one item of every kind of state. */
async function fill(simulator: Simulator): Promise<{ client: TestClient; uuids: string[] }> {
  const { url } = simulator;
  await control(url, 'settings', { validationDelayMs: 0, visibilityDelayMs: 0, tokenSeconds: 1e6, documentsMax: 5 });
  const client = await TestClient.login(url);
  await client.accept(exampleEntry({ number: 'FORGOTTEN' }));
  const invoice = await client.accept(exampleEntry({ number: 'PARENT' }));
  const note = await client.accept(creditNoteFor(invoice, { parentNumber: 'PARENT' }));
  const invalid = await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1' }));
  const cancelled = await client.accept(exampleEntry());
  await client.changeState(cancelled, 'cancelled');
  const waiting = await client.accept(exampleEntry({ number: 'SIM-SLOW-1000-1' }));
  await client.submit(exampleEntry({ number: 'SIM-FAIL-1' }));
  await control(url, 'faults', [{ when: { api: 'details' }, fault: 'http-503', every: 3 }]);
  await client.details(note);
  await control(url, 'taxpayers', { tin: 'C9999999990', appointed: false });
  await control(url, 'clock', { advanceSeconds: 600 });
  return { client, uuids: [invoice, note, invalid, cancelled, waiting] };
}

describe('simulator with a folder', () => {
  it('restores its complete state after it was killed', async () => {
    const first = await start();
    const { client, uuids } = await fill(first);
    const readRaw = (uuid: string, caller: TestClient) => caller.call(`documents/${uuid}/raw`).then(({ text }) => text);
    const raws = await Promise.all(uuids.map((uuid) => readRaw(uuid, client)));
    const wireLog = await readWireLog(first);
    const killed = await afterKill();
    const next = await start(killed);
    const caller = sameCaller(next, client);
    expect(await Promise.all(uuids.map((uuid) => readRaw(uuid, caller)))).toEqual(raws);
    expect(await readWireLog(next)).toEqual(wireLog);
    expect(wireLog).toHaveLength(6);
    for (const question of ['settings', 'faults']) {
      const [before, after] = await Promise.all([first, next].map(({ url }) => send(`${url}/_control/${question}`)));
      expect(after?.json()).toEqual(before?.json());
    }
    expect((await caller.submit(exampleEntry({ number: 'SIM-FAIL-1' }))).status).toBe(202);
  });

  it('rewrites the same journal after a kill and after a normal stop', async () => {
    const first = await start();
    await fill(first);
    const killed = await afterKill();
    await stop(first);
    await stop(await start());
    await stop(await start(killed));
    const written = await readJournal(folder);
    expect(await readJournal(killed)).toBe(written);
    await stop(await start());
    expect(await readJournal(folder)).toBe(written);
    expect(written.split('\n').length).toBeGreaterThan(15);
  });

  it('validates pending documents after a restart with the advanced clock', async () => {
    const first = await start();
    const client = await TestClient.login(first.url);
    const uuid = await client.accept(exampleEntry({ number: 'SIM-SLOW-1000-1' }));
    expect(await client.readStatus(uuid)).toBe('Submitted');
    await control(first.url, 'clock', { advanceSeconds: 900 });
    await stop(first);
    const next = await start();
    const caller = sameCaller(next, client);
    expect(await caller.readStatus(uuid)).toBe('Submitted');
    await control(next.url, 'clock', { advanceSeconds: 200 });
    expect(await caller.readStatus(uuid)).toBe('Valid');
  });

  it('restores the time of an appointment', async () => {
    const first = await start();
    for (const appointed of [false, true]) await control(first.url, 'taxpayers', { tin: supplierTin, appointed });
    const client = await TestClient.login(first.url);
    const set = { 'InvoiceTypeCode.0.listVersionID': '1.1' };
    const waiting = await client.accept(exampleEntry({ number: 'SIM-SLOW-1000-1', set }));
    // Starts twice, because the first start rewrites the journal.
    await stop(first);
    await stop(await start());
    const next = await start();
    const caller = sameCaller(next, client);
    const later = await caller.accept(exampleEntry({ set }));
    await control(next.url, 'clock', { advanceSeconds: 1_000 });
    for (const uuid of [waiting, later]) expect(await caller.listErrorCodes(uuid)).toContain('SIM-APPOINTMENT');
  });

  it('ignores an incomplete last line of the journal', async () => {
    const first = await start();
    const client = await TestClient.login(first.url);
    const uuid = await client.accept(exampleEntry());
    await stop(first);
    await appendFile(path.join(folder, 'journal.jsonl'), '[["submission",{"uid":"01');
    const next = await start();
    expect((await sameCaller(next, client).call(`documents/${uuid}/details`)).status).toBe(200);
  });

  it('does not start with an unreadable journal', async () => {
    await stop(await start());
    const file = path.join(folder, 'journal.jsonl');
    const lines = (await readJournal(folder)).split('\n');
    await writeFile(file, [lines[0], '[["strange",{}]]', ...lines.slice(1)].join('\n'));
    const refusal = `line 2 of ${file} (Unknown change "strange"). To start with an empty state, move that file away`;
    await expect(start()).rejects.toThrow(refusal);
    await writeFile(file, '{"simulatorJournal":99}\n');
    await expect(start()).rejects.toThrow('line 1');
  });

  it('locks the folder until it stops', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(`in use by process ${process.pid}`);
    await stop(first);
    await expect(start()).resolves.toBeDefined();
  });

  it.runIf(existsSync('/proc/self/stat'))('takes over the folder of a zombie process', async () => {
    await stop(await start());
    const owner = await startUnwaited('sleep');
    try {
      await writeFile(path.join(folder, 'owner'), `${owner.id} ${owner.fields()[19]}`);
      await expect(start()).rejects.toThrow(`in use by process ${owner.id}`);
      await owner.kill();
      await expect(start()).resolves.toBeDefined();
    } finally {
      owner.end();
    }
  });

  it('starts empty after a reset', async () => {
    const first = await start();
    await fill(first);
    await control(first.url, 'reset');
    await stop(first);
    const next = await start();
    expect(await readWireLog(next)).toEqual([]);
    expect(next.clockOffsetMs).toBe(0);
  });
});

describe('following clock', () => {
  const moves: number[] = [];
  const followerAt = (offsetMs: number): ClockFollower => ({
    offsetMs,
    move: async (aheadMs) => {
      await Promise.resolve();
      moves.push(aheadMs);
    },
  });
  beforeEach(() => moves.splice(0));

  it('never moves back, even after a reset', async () => {
    const { url } = await start(folder, followerAt(0));
    await Promise.all([1, 2].map((days) => control(url, 'clock', { advanceSeconds: days * daySeconds })));
    expect(moves.at(-1)).toBe(3 * daySeconds * 1000);
    const answer = (await control(url, 'reset')).json() as { now: string };
    expect(Date.parse(answer.now)).toBeGreaterThan(Date.now() + 2.9 * daySeconds * 1000);
  });

  it("stops the simulator's clock if it cannot be moved", async () => {
    const stuck = { offsetMs: 0, move: () => Promise.reject(new Error('no database')) };
    const { url } = await start(folder, stuck);
    expect((await control(url, 'clock', { advanceSeconds: daySeconds })).status).toBe(500);
    const answer = (await control(url, 'clock', { advanceSeconds: 0 })).json() as { error: object };
    expect(answer).toHaveProperty('error');
    const date = (await send(`${url}/_control/settings`)).headers.get('date') ?? '';
    expect(Date.parse(date)).toBeLessThan(Date.now() + 60_000);
  });

  it('starts at the later time of both clocks', async () => {
    const first = await start(folder, followerAt(5_000));
    expect(first.clockOffsetMs).toBe(5_000);
    expect(moves).toEqual([]);
    await stop(first);
    const next = await start(folder, followerAt(1_000));
    expect(next.clockOffsetMs).toBe(5_000);
    expect(moves).toEqual([5_000]);
  });
});

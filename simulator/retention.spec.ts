import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { creditNoteFor, exampleEntry } from './testing/example-documents.js';
import { TestClient, control, send } from './testing/test-client.js';

const daySeconds = 24 * 60 * 60;

describe('retention', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator({ settings: { validationDelayMs: 0, visibilityDelayMs: 0 } });
  });
  beforeEach(async () => {
    await control(simulator.url, 'reset');
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const isKnown = async (uuid: string) => (await client.call(`documents/${uuid}/details`)).status === 200;

  async function foundUuids(): Promise<string[]> {
    const { result } = (await client.searchAround(Date.now())).json() as { result: { uuid: string }[] };
    return result.map(({ uuid }) => uuid);
  }

  it('deletes the oldest submission when the document limit is exceeded', async () => {
    await control(simulator.url, 'settings', { documentsMax: 3 });
    const parent = await client.accept(exampleEntry({ number: 'P-1' }));
    const note = await client.accept(creditNoteFor(parent, { parentNumber: 'P-1' }));
    const third = await client.accept(exampleEntry());
    const fourth = await client.accept(exampleEntry());
    expect(await Promise.all([parent, note, third, fourth].map(isKnown))).toEqual([false, true, true, true]);
    expect(await foundUuids()).toEqual([fourth, third, note]);
    expect((await send(`${simulator.url}/_control/wire-log?after=0`)).json()).toHaveLength(4);
  });

  it('deletes documents after 90 days of simulator time', async () => {
    await control(simulator.url, 'settings', { tokenSeconds: 1e9 });
    client = await TestClient.login(simulator.url);
    const first = await client.accept(exampleEntry());
    await control(simulator.url, 'clock', { advanceSeconds: 90 * daySeconds - 60 });
    const later = () => exampleEntry({ issuedAt: Date.now() + 89 * daySeconds * 1000 });
    await client.accept(later());
    expect(await isKnown(first)).toBe(true);
    await control(simulator.url, 'clock', { advanceSeconds: 61 });
    await client.accept(later());
    expect(await isKnown(first)).toBe(false);
  });

  it('ignores deleted documents in the duplicate check', async () => {
    await control(simulator.url, 'settings', { documentsMax: 1 });
    const entry = exampleEntry();
    await client.accept(entry);
    await client.accept(exampleEntry());
    await control(simulator.url, 'clock', { advanceSeconds: 700 });
    expect(await client.readStatus(await client.accept(entry))).toBe('Valid');
  });
});

describe('duplicate rules', () => {
  it.each([
    ['true', true, 422, 'Invalid'],
    ['payloads', 'payloads', 422, 'Valid'],
    ['documents', 'documents', 202, 'Invalid'],
    ['false', false, 202, 'Valid'],
  ])('are enforced according to duplicateRules %s', async (_title, duplicateRules, status, outcome) => {
    const simulator = await startSimulator({ settings: { validationDelayMs: 0 } });
    try {
      await control(simulator.url, 'settings', { duplicateRules });
      const client = await TestClient.login(simulator.url);
      const entry = exampleEntry();
      await client.accept(entry);
      expect((await client.submit(entry)).status).toBe(status);
      await control(simulator.url, 'clock', { advanceSeconds: 601 });
      expect(await client.readStatus(await client.accept(entry))).toBe(outcome);
    } finally {
      await simulator.close();
    }
  });
});

it('delays only responses of the authority API by latencyMs', async () => {
  const simulator = await startSimulator();
  try {
    await control(simulator.url, 'settings', { latencyMs: 300 });
    const from = performance.now();
    await TestClient.login(simulator.url);
    // Timers may fire a millisecond early.
    expect(performance.now() - from).toBeGreaterThanOrEqual(298);
    await control(simulator.url, 'settings', { latencyMs: 600_000 });
    expect((await control(simulator.url, 'settings', { latencyMs: 0 })).status).toBe(200);
  } finally {
    await simulator.close();
  }
});

it.each([
  ['submit', 'view'],
  ['view', 'cancel'],
  ['cancel', 'submit'],
])('rejects only %s without its permission', async (permission, other) => {
  const simulator = await startSimulator({ settings: { validationDelayMs: 0, visibilityDelayMs: 0 } });
  try {
    const client = await TestClient.login(simulator.url);
    const uuid = await client.accept(exampleEntry());
    const calls: Record<string, () => Promise<{ status: number }>> = {
      submit: () => client.submit(exampleEntry()),
      view: () => client.call(`documents/${uuid}/details`),
      cancel: () => client.changeState(uuid, 'cancelled'),
    };
    const permissions = ['submit', 'view', 'cancel'].filter((name) => name !== permission);
    await control(simulator.url, 'taxpayers', { tin: 'C1234567890', appointed: true, permissions });
    expect((await calls[permission]?.())?.status).toBe(403);
    expect((await calls[other]?.())?.status).toBeLessThan(300);
    await expect(TestClient.login(simulator.url)).resolves.toBeInstanceOf(TestClient);
  } finally {
    await simulator.close();
  }
});

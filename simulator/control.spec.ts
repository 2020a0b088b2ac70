import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settingNames } from './settings.js';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, send, supplierTin } from './testing/test-client.js';

describe('control calls', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator({ settings: { validationDelayMs: 5 } });
  });
  beforeEach(() => control(simulator.url, 'reset'));
  afterAll(() => simulator.close());

  it('are served on the loopback address by default', () => {
    expect(new URL(simulator.url).hostname).toBe('127.0.0.1');
  });

  it('reject an unknown setting without changing any setting', async () => {
    const response = await control(simulator.url, 'settings', { searchLagMs: 7, speed: 1 });
    expect(response.status).toBe(400);
    expect(response.text).toContain('speed');
    for (const name of settingNames) expect(response.text).toContain(name);
    expect((await send(`${simulator.url}/_control/settings`)).json()).toMatchObject({ searchLagMs: 0 });
  });

  it.each([
    ['validationDelayMs', -1],
    ['rateFactor', 'fast'],
    ['duplicateRules', 1],
    ['duplicateCode', 'DX1'],
    ['clientId', ''],
  ])('reject an invalid value of the setting %s: %j', async (name, value) => {
    const response = await control(simulator.url, 'settings', { [name]: value });
    expect(response.status).toBe(400);
    expect(response.text).toContain(name);
  });

  it('restore the start state on reset', async () => {
    const client = await TestClient.login(simulator.url);
    await client.accept(exampleEntry());
    await control(simulator.url, 'settings', { validationDelayMs: 1, rateFactor: 3 });
    await control(simulator.url, 'clock', { advanceSeconds: 1000 });
    await control(simulator.url, 'faults', [{ when: { api: 'token' }, fault: 'http-503' }]);
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: false });
    const response = await control(simulator.url, 'reset');
    expect(Math.abs(Date.parse((response.json() as { now: string }).now) - Date.now())).toBeLessThan(500_000);
    expect((await client.call('documents/x/details')).status).toBe(401);
    expect((await send(`${simulator.url}/_control/wire-log?after=0`)).json()).toEqual([]);
    expect((await send(`${simulator.url}/_control/settings`)).json()).toMatchObject({
      validationDelayMs: 5,
      rateFactor: 0,
    });
    await expect(TestClient.login(simulator.url)).resolves.toBeInstanceOf(TestClient);
  });

  it('move the clock only forward', async () => {
    const moved = await control(simulator.url, 'clock', { advanceSeconds: 3600 });
    expect(Date.parse((moved.json() as { now: string }).now) - Date.now()).toBeGreaterThan(3_000_000);
    expect((await control(simulator.url, 'clock', { advanceSeconds: -1 })).status).toBe(400);
  });

  it('list accepted documents in the wire log with the hash of their bytes', async () => {
    const client = await TestClient.login(simulator.url);
    const entries = [exampleEntry(), exampleEntry({ issuedAt: Date.now() + 1e9 }), exampleEntry()];
    const response = await client.submit(...entries);
    const { submissionUid } = response.json() as { submissionUid: string };
    const log = (await send(`${simulator.url}/_control/wire-log?after=0`)).json() as Record<string, unknown>[];
    expect(log).toMatchObject(
      [entries[0], entries[2]].map((entry, index) => ({
        sequence: index + 1,
        sha256: createHash('sha256')
          .update(Buffer.from(entry?.document ?? '', 'base64'))
          .digest('hex'),
        number: entry?.codeNumber,
        type: '01',
        supplierTin,
        submissionUid,
      })),
    );
    expect((await send(`${simulator.url}/_control/wire-log?after=1`)).json()).toEqual(log.slice(1));
  });

  it('list the latest stored documents with status and errors', async () => {
    const client = await TestClient.login(simulator.url);
    await control(simulator.url, 'settings', { validationDelayMs: 0, documentsMax: 3 });
    const numbers = ['FORGOTTEN', 'SIM-STUCK-1', 'SIM-INVALID-CV302-1', 'A'];
    const uuids: string[] = [];
    for (const number of numbers) uuids.push(await client.accept(exampleEntry({ number })));
    const listed = (await send(`${simulator.url}/_control/documents`)).json();
    expect(listed).toMatchObject([
      { uuid: uuids[1], number: numbers[1], status: 'Submitted', errors: [] },
      { uuid: uuids[2], number: numbers[2], status: 'Invalid', errors: [{ code: 'CV302' }] },
      { uuid: uuids[3], number: numbers[3], status: 'Valid', errors: [], supplierTin },
    ]);
    expect((await send(`${simulator.url}/_control/documents?last=2`)).json()).toEqual((listed as object[]).slice(1));
  });

  it('return the content of a document as received', async () => {
    const client = await TestClient.login(simulator.url);
    const entry = exampleEntry();
    const uuid = await client.accept(entry);
    const content = JSON.parse(Buffer.from(entry.document, 'base64').toString()) as unknown;
    expect((await send(`${simulator.url}/_control/document?uuid=${uuid}`)).json()).toMatchObject({ uuid, content });
    const unknown = await send(`${simulator.url}/_control/document?uuid=UNKNOWN`);
    expect(unknown.status).toBe(400);
    expect(unknown.text).toContain('UNKNOWN');
  });

  it.each(['wire-log', 'calls'])('return the latest entries of %s in order', async (log) => {
    const client = await TestClient.login(simulator.url);
    for (const number of ['A', 'B', 'C']) await client.accept(exampleEntry({ number }));
    const all = (await send(`${simulator.url}/_control/${log}`)).json() as object[];
    expect((await send(`${simulator.url}/_control/${log}?last=2`)).json()).toEqual(all.slice(-2));
    for (const query of ['last=0', 'last=1001', 'last=x', 'last=', 'last=1&after=1']) {
      const refused = await send(`${simulator.url}/_control/${log}?${query}`);
      expect(refused.status, query).toBe(400);
      expect(refused.text).toContain('last');
    }
  });

  it.each([
    ['clock', { advanceSeconds: 1, seconds: 2 }, 'seconds'],
    ['reset', { settings: {} }, 'settings'],
    ['taxpayers', { tin: supplierTin, appointed: true, since: 1 }, 'since'],
    ['taxpayers', { tin: supplierTin, appointed: true, permissions: ['pay'] }, 'submit, cancel, reject, view'],
    ['taxpayers', { tin: 'X', appointed: true }, 'tin'],
    ['portal', { uuid: 'X', action: 'cancel', reason: 'Y' }, 'reason'],
  ])('reject %s with the invalid body %j', async (call, body, text) => {
    const response = await control(simulator.url, call, body);
    expect(response.status).toBe(400);
    expect(response.text).toContain(text);
  });

  it('reject unknown parameters', async () => {
    for (const call of ['wire-log?from=1', 'calls?page=2', 'settings?name=x']) {
      expect((await send(`${simulator.url}/_control/${call}`)).status).toBe(400);
    }
  });

  it('respond to an unknown call with the list of calls', async () => {
    const response = await control(simulator.url, 'explode');
    expect(response.status).toBe(404);
    expect(response.text).toContain('/_control/wire-log');
  });
});

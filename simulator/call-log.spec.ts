import { describe, expect, it } from 'vitest';
import { CallLog } from './call-log.js';
import { SequencedLog } from './sequenced-log.js';
import { startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, send, supplierTin } from './testing/test-client.js';

const login = {
  api: 'token',
  clientId: 'client',
  taxpayerTin: supplierTin,
  status: 200,
  fault: null,
  traceparent: null,
} as const;

describe('call log', () => {
  it('records time, caller, status and fault of every call', async () => {
    const simulator = await startSimulator({ settings: { rateFactor: 0.01 } });
    try {
      const client = await TestClient.login(simulator.url);
      await control(simulator.url, 'faults', [{ when: { api: 'submit' }, fault: 'drop-after' }]);
      await expect(client.submit(exampleEntry())).rejects.toThrow('fetch failed');
      expect((await client.submit(exampleEntry())).status).toBe(429);
      const log = (await send(`${simulator.url}/_control/calls?after=0`)).json() as { time: string }[];
      const caller = { clientId: 'client', taxpayerTin: supplierTin };
      expect(log).toMatchObject([
        { sequence: 1, api: 'token', ...caller, status: 200, fault: null },
        { sequence: 2, api: 'submit', ...caller, status: null, fault: 'drop-after' },
        { sequence: 3, api: 'submit', ...caller, status: 429, fault: null },
      ]);
      for (const { time } of log) expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(600_000);
      expect((await send(`${simulator.url}/_control/call-counts`)).json()).toMatchObject({
        token: { calls: 1, refused: 0, busiestMinute: 1 },
        submit: { calls: 2, refused: 1, busiestMinute: 2 },
        search: { calls: 0, refused: 0, busiestMinute: 0 },
        canary: { calls: 0 },
      });
    } finally {
      await simulator.close();
    }
  });

  it('counts calls of the busiest minute in a sliding window', () => {
    const log = new CallLog();
    for (const second of [0, 50, 59, 60, 100, 109, 110, 119.9, 200]) log.add(second * 1000, login);
    // The busiest minute is 60 to 119.9, because the call at 59 is more than a minute before 119.9.
    expect(log.counts().token).toEqual({ calls: 9, refused: 0, busiestMinute: 5 });
  });

  it('assigns calls that are exactly a minute apart to different minutes', () => {
    const log = new CallLog();
    for (const second of [0, 60]) log.add(second * 1000, login);
    expect(log.counts().token.busiestMinute).toBe(1);
  });
});

describe('sequenced log', () => {
  it('returns pages of 10,000 entries', () => {
    const log = new SequencedLog<object>(100_000);
    for (let entry = 0; entry < 10_001; entry += 1) log.append({});
    expect(log.after(0)).toHaveLength(10_000);
    expect(log.after(10_000)).toEqual([{ sequence: 10_001 }]);
    expect(log.after(10_001)).toEqual([]);
  });

  it('refuses to read from a position before its oldest stored entry', () => {
    const log = new SequencedLog<{ value: number }>(100);
    for (let value = 1; value <= 250; value += 1) log.append({ value });
    expect(log.all().length).toBeLessThanOrEqual(110);
    const [oldest] = log.all();
    const forgotten = (oldest?.sequence ?? 0) - 1;
    expect(oldest?.value).toBe(forgotten + 1);
    expect(log.after(forgotten).at(-1)).toEqual({ sequence: 250, value: 250 });
    expect(() => log.after(forgotten - 1)).toThrow(`after=${forgotten}`);
  });
});

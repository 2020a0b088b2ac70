import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { controlCallNames } from './control-description.js';
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, send } from './testing/test-client.js';

const controlToken = 'a-token-of-20-letters';

const started: Simulator[] = [];
afterEach(async () => {
  for (const simulator of started.splice(0)) await simulator.close();
});

async function start(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options);
  started.push(simulator);
  return simulator;
}

/** Sends headers that `fetch` does not allow. */
async function sendWith(url: string, method: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(url, { method, headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const readLatency = async (url: string, headers = {}) =>
  (await send(`${url}/_control/settings`, { headers })).json() as { latencyMs: number };

describe('simulator that is reachable from other machines', () => {
  it.each(['0.0.0.0', '::', '192.0.2.7', 'localhost.example', '127.example'])(
    'fails to start on %s without a control token',
    async (host) => {
      await expect(startSimulator({ host })).rejects.toThrow(
        `--host ${host} can be reached from other machines: add --`,
      );
    },
  );

  it.each([
    ['short', 'at least 16 characters, not 5'],
    ['sixteen letters and spaces', 'without spaces'],
  ])('fails to start with the control token "%s"', async (token, text) => {
    await expect(startSimulator({ controlToken: token })).rejects.toThrow(text);
  });

  it('returns a local URL when it listens on all addresses', async () => {
    const { url } = await start({ host: '0.0.0.0', controlToken });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await readLatency(url, { authorization: `Bearer ${controlToken}` })).toMatchObject({ latencyMs: 0 });
  });
});

describe('simulator with a control token', () => {
  it('rejects every control call without the token', async () => {
    const { url } = await start({ controlToken });
    const client = await TestClient.login(url);
    await client.accept(exampleEntry());
    for (const authorization of ['', 'Bearer ', `Bearer ${controlToken}x`, `Basic ${controlToken}`]) {
      for (const name of controlCallNames) {
        const [method, path = ''] = name.split(' ');
        const response = await send(url + path, { method, headers: authorization ? { authorization } : {} });
        expect(response.status, `${name} with "${authorization}"`).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        expect(response.text).toContain('Authorization: Bearer');
      }
    }
    const headers = { authorization: `Bearer ${controlToken}` };
    expect((await send(`${url}/_control/documents`, { headers })).json()).toHaveLength(1);
  });

  it("serves the authority's API, the control page and the description without the token", async () => {
    const { url } = await start({ controlToken });
    await expect(TestClient.login(url)).resolves.toBeInstanceOf(TestClient);
    for (const path of ['', 'openapi.json']) expect((await send(`${url}/_control/${path}`)).status).toBe(200);
  });
});

describe('simulator without a control token', () => {
  it.each([
    ['from a page of another site', { origin: 'https://evil.example' }, 403],
    ['from a sandboxed page without an origin', { origin: 'null' }, 403],
    ['from a page on another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['to a foreign name that resolves to this machine', { host: 'evil.example' }, 403],
    ['to a foreign name that starts with a loopback address', { host: '127.0.0.1.evil.example:80' }, 403],
    ['to localhost', { host: 'LOCALHOST:4010' }, 200],
    ['to the IPv6 loopback address', { host: '[::1]:4010' }, 200],
    ['from its own page', { host: 'localhost:7', origin: 'http://localhost:7' }, 200],
  ])('answers a control call %s (%j) with %d', async (_caller, headers, status) => {
    const { url } = await start({});
    await control(url, 'settings', { latencyMs: 1 });
    expect(await sendWith(`${url}/_control/reset`, 'POST', headers)).toBe(status);
    expect(await readLatency(url)).toMatchObject({ latencyMs: status === 200 ? 0 : 1 });
  });
});

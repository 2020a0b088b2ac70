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

/** `fetch` sends no such headers. */
async function sendWith(url: string, method: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(url, { method, headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const readLatency = async (url: string, headers = {}) =>
  (await send(`${url}/_control/settings`, { headers })).json() as { latencyMs: number };

describe('for other machines', () => {
  it.each(['0.0.0.0', '::', '192.0.2.7', 'localhost.example', '127.example'])(
    'it does not start on %s without a control token, and says which option is missing',
    async (host) => {
      await expect(startSimulator({ host })).rejects.toThrow(
        `--host ${host} can be reached from other machines: add --`,
      );
    },
  );

  it.each([
    ['short', 'at least 16 characters, not 5'],
    ['sixteen letters and blanks', 'without blanks'],
  ])('it does not start with the control token "%s"', async (token, text) => {
    await expect(startSimulator({ controlToken: token })).rejects.toThrow(text);
  });

  it('it starts with a control token, and gives an address that this machine can call', async () => {
    const { url } = await start({ host: '0.0.0.0', controlToken });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await readLatency(url, { authorization: `Bearer ${controlToken}` })).toMatchObject({ latencyMs: 0 });
  });
});

describe('with a control token', () => {
  it('every control call without it is 401, and does nothing', async () => {
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

  it("the authority's API, the page and the description need none", async () => {
    const { url } = await start({ controlToken });
    await expect(TestClient.login(url)).resolves.toBeInstanceOf(TestClient);
    for (const path of ['', 'openapi.json']) expect((await send(`${url}/_control/${path}`)).status).toBe(200);
  });
});

describe('without a control token', () => {
  it.each([
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page without an origin, such as one in a sandbox', { origin: 'null' }, 403],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a name that was turned to this machine', { host: 'evil.example' }, 403],
    ['a name that begins as this machine', { host: '127.0.0.1.evil.example:80' }, 403],
    ['localhost', { host: 'LOCALHOST:4010' }, 200],
    ['the loopback address of IPv6', { host: '[::1]:4010' }, 200],
    ['its own page', { host: 'localhost:7', origin: 'http://localhost:7' }, 200],
  ])('a control call of or to %s: %j is %d', async (_what, headers, status) => {
    const { url } = await start({});
    await control(url, 'settings', { latencyMs: 1 });
    expect(await sendWith(`${url}/_control/reset`, 'POST', headers)).toBe(status);
    expect(await readLatency(url)).toMatchObject({ latencyMs: status === 200 ? 0 : 1 });
  });
});

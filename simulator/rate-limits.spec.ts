import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { TestClient, control, requestToken } from './testing/test-client.js';

describe('rate limits', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  beforeEach(() => control(simulator.url, 'reset'));
  afterAll(() => simulator.close());

  const advance = (advanceSeconds: number) => control(simulator.url, 'clock', { advanceSeconds });

  it('are disabled by default', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await requestToken(simulator.url)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('allow 12 logins per minute and client', async () => {
    await control(simulator.url, 'settings', { rateFactor: 1 });
    for (let call = 0; call < 12; call += 1) {
      const response = await requestToken(simulator.url, `C${call + 1}0`);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-rate-limit-limit')).toBe('12');
      expect(response.headers.get('x-rate-limit-remaining')).toBe(String(11 - call));
      expect(response.headers.get('x-rate-limit-reset')).toBeNull();
    }
    const refused = await requestToken(simulator.url);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(refused.status).toBe(429);
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(Date.parse(refused.headers.get('x-rate-limit-reset') ?? '')).toBeGreaterThan(Date.now());
    expect(refused.json()).toEqual({
      statusCode: 429,
      message: `Rate limit is exceeded. Try again in ${seconds} seconds.`,
    });
    expect((await requestToken(simulator.url, undefined, { client_id: 'other' })).status).toBe(200);
    await advance(60);
    expect((await requestToken(simulator.url)).status).toBe(200);
  });

  it('count each API separately', async () => {
    const client = await TestClient.login(simulator.url);
    await control(simulator.url, 'settings', { rateFactor: 0.02 });
    expect((await client.call('documents/x/raw')).status).toBe(404);
    expect((await client.call('documents/x/raw')).status).toBe(429);
    expect((await client.call('documents/x/details')).status).toBe(404);
  });

  it('allow one search per five seconds and taxpayer', async () => {
    const client = await TestClient.login(simulator.url);
    const other = await TestClient.login(simulator.url, 'C2222222220');
    await control(simulator.url, 'settings', { rateFactor: 1 });
    const now = Date.now();
    const responses = await Promise.all([client.searchAround(now), client.searchAround(now)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 429]);
    expect(responses[1].headers.get('retry-after')).toBe('5');
    expect((await other.searchAround(now)).status).toBe(200);
    await advance(5);
    expect((await client.searchAround(now)).status).toBe(200);
  });
});

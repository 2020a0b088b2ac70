import { describe, expect, it } from 'vitest';
import type { Response } from '../client.js';
import { client, expectRefused } from '../suite.js';

/** A free request that counts against the limit without an authority call. */
const CHECK = { path: '/v1/einvoice/validate-taxpayer-tin/EI00000000010', waitsForLimit: false };
/** Skips the check if more requests than this are left. */
const LEFT_MAX = 150;
/** Allows for a window that ends during the check and for replicas that sum their counts only periodically. */
const REQUESTS_MAX = 4 * LEFT_MAX;

interface Limit {
  readonly name: string;
  readonly parameters: Readonly<Record<string, number>>;
}

function parseLimits(text: string | null): Limit[] {
  const items = [...(text ?? '').matchAll(/"([^"]+)"((?:; *\w+=-?\d+)*)/g)];
  return items.map(([, name, words]) => ({
    name,
    parameters: Object.fromEntries(
      [...words.matchAll(/(\w+)=(-?\d+)/g)].map(([, word, value]) => [word, Number(value)]),
    ),
  }));
}

function policies({ headers }: Response): Limit[] {
  return parseLimits(headers.get('ratelimit-policy'));
}

function states({ headers }: Response): Limit[] {
  return parseLimits(headers.get('ratelimit'));
}

describe('rate limit', () => {
  it('is stated in RateLimit-Policy and RateLimit on every response', async ({ skip }) => {
    const response = await client.call({ ...CHECK, waitsForLimit: true });
    skip(policies(response).length === 0, 'the deployment has no rate limits');
    expect(states(response).map(({ name }) => name)).toEqual(policies(response).map(({ name }) => name));
    for (const { parameters } of policies(response))
      expect(parameters).toMatchObject({ q: expect.any(Number) as number, w: 60 });
  });

  it('results in 429 rate_limited with Retry-After when exceeded', async ({ skip }) => {
    const first = await client.call({ ...CHECK, waitsForLimit: true });
    const least = Math.min(...states(first).map(({ parameters }) => parameters.r));
    skip(least > LEFT_MAX, `more than ${LEFT_MAX} requests are left`);
    let response = first;
    for (let count = 0; count <= REQUESTS_MAX && response.status === 200; count += 1)
      response = await client.call(CHECK);
    expectRefused(response, 429, 'rate_limited');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Math.min(...states(response).map(({ parameters }) => parameters.r))).toBe(0);
  });
});

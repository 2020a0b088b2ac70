import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTenant, get, readBalance, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { NO_RATE_LIMITS } from '../support/no-rate-limits.js';
import { poll, pollMany, report, stopClockAtWindowStart } from './replicas.js';

const LIMITED = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: '100',
  RATE_LIMIT_SUBMITS_PER_MINUTE: '10',
  RATE_LIMIT_TIN_CHECKS_PER_MINUTE: '5',
};
const service = await startFileService({ environment: LIMITED });
const unlimited = await startFileService({ environment: NO_RATE_LIMITS });
beforeEach(() => stopClockAtWindowStart(service));

const TIN_CHECK = '/v1/einvoice/validate-taxpayer-tin/C9876543210?idType=BRN&idValue=202001234567';

interface Item {
  readonly name: string;
  readonly parameters: Readonly<Record<string, number>>;
}

/** Parses a list of strings with integer parameters (RFC 9651). @throws Error for any other text */
function parseList(text: string | null): Item[] {
  return (text ?? '').split(/[ \t]*,[ \t]*/).map((member) => {
    const [, name, parameters] =
      /^"([\x20-\x21\x23-\x5b\x5d-\x7e]*)"((?:; *[a-z*][a-z0-9_.*-]*=-?\d{1,15})*)$/.exec(member) ?? [];
    if (name === undefined) throw new Error(`No Structured Field: ${text}`);
    const pairs = [...parameters.matchAll(/; *([^=]+)=(-?\d+)/g)].map(([, key, value]) => [key, Number(value)]);
    return { name, parameters: Object.fromEntries(pairs) as Record<string, number> };
  });
}

describe('the rate-limit headers of a response', () => {
  it('contain the limits and remaining requests', async () => {
    const tenant = await createTenant(service);
    const first = await submit(service, tenant, [invoice()]);
    expect(parseList(first.headers.get('ratelimit-policy'))).toEqual([
      { name: 'key-requests', parameters: { q: 100, w: 60 } },
      { name: 'organisation-requests', parameters: { q: 500, w: 60 } },
      { name: 'key-submits', parameters: { q: 10, w: 60 } },
      { name: 'organisation-submits', parameters: { q: 50, w: 60 } },
    ]);
    const second = await submit(service, tenant, [invoice()]);
    for (const [response, count] of [
      [first, 1],
      [second, 2],
    ] as const) {
      const state = parseList(response.headers.get('ratelimit'));
      expect(state.map(({ name, parameters }) => [name, parameters.r])).toEqual([
        ['key-requests', 100 - count],
        ['organisation-requests', 500 - count],
        ['key-submits', 10 - count],
        ['organisation-submits', 50 - count],
      ]);
      for (const { parameters } of state) {
        expect(parameters.t).toBeGreaterThanOrEqual(1);
        expect(parameters.t).toBeLessThanOrEqual(60);
      }
    }
  });

  it('are included in errors and replays', async () => {
    const tenant = await createTenant(service);
    const key = randomUUID();
    const documents = [invoice()];
    const left: unknown[] = [];
    for (const sent of [documents, documents, 'no list']) {
      const { headers } = await submit(service, tenant, sent, { key });
      left.push(parseList(headers.get('ratelimit'))[0].parameters.r);
    }
    expect(left).toEqual([99, 98, 97]);
  });

  it('match Retry-After in a 429 response', async () => {
    const tenant = await createTenant(service);
    const responses = [];
    for (let count = 0; count < 6; count += 1) responses.push(await get(service, tenant, TIN_CHECK));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    const { headers, body } = responses[5];
    expect(body.message).toContain('its limit of 5 TIN checks per minute');
    const state = parseList(headers.get('ratelimit')).find(({ name }) => name === 'key-tin-checks');
    expect(state?.parameters.r).toBe(0);
    expect(headers.get('retry-after')).toBe(String(state?.parameters.t));
    expect(headers.get('x-environment')).toBe('sandbox');
    // Requests of other kinds succeed, and a rejected request does not count.
    expect(
      parseList((await poll(service, { 'X-API-Key': tenant.apiKey })).headers.get('ratelimit'))[0].parameters.r,
    ).toBe(94);
  });

  it('are omitted without a key', async () => {
    const { status, headers } = await poll(service, {});
    expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([401, null, null]);
  });
});

describe('a limit of 0', () => {
  it('means unlimited', async () => {
    const { apiKey } = await createTenant(unlimited);
    const responses = await pollMany([unlimited], 300, () => ({ 'X-API-Key': apiKey }));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]));
    expect(responses[0].headers.get('ratelimit')).toBeNull();
    expect(await unlimited.owner.query('SELECT bucket FROM rate_limit_window')).toEqual([]);
  });
});

describe('while the database is unavailable', () => {
  it('each process applies the limit separately', async () => {
    const tenant = await createTenant(service);
    await service.owner.query('REVOKE INSERT ON rate_limit_window FROM einvoice_app');
    try {
      const statuses: number[] = [];
      for (let count = 0; count < 12; count += 1) {
        statuses.push((await submit(service, tenant, [invoice()])).status);
        await report(service);
      }
      expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
      expect(await readBalance(service, tenant)).toBe(990);
    } finally {
      await service.owner.query('GRANT INSERT ON rate_limit_window TO einvoice_app');
    }
  });
});

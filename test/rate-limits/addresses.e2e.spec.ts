import { beforeEach, describe, expect, it } from 'vitest';
import { createSecret } from '../../src/accounts/secrets.js';
import { createApiKeyText } from '../../src/accounts/api-keys/api-key-text.js';
import { createTenant, request } from '../support/client.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';
import { countTaken, poll, pollMany, stopClockAtWindowStart } from './replicas.js';

const LIMIT = 30;
const service = await startFileService({
  environment: { RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: String(LIMIT), TRUSTED_PROXIES: '127.0.0.1' },
});

const direct = await startFileService({ environment: { RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: String(LIMIT) } });
beforeEach(async () => {
  await Promise.all([service, direct].map((each) => stopClockAtWindowStart(each)));
});

const GUESSES = 8;

/** Counts the connections of an API that wait for a lock. */
async function countBlocked(): Promise<number> {
  const [{ count }] = await service.owner.query<{ count: number }[]>(
    `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'einvoice-%' AND cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return count;
}

/** Headers of a proxy. */
const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });

describe('without a valid API key', () => {
  it.each([
    ['no key', '203.0.113.1', {}],
    ['a malformed key', '203.0.113.2', { 'X-API-Key': 'guess' }],
    ['an unknown key', '203.0.113.3', { 'X-API-Key': createApiKeyText('sandbox') }],
  ])('a network address is limited with %s', async (_, address, headers) => {
    const responses = await pollMany([service], 2 * LIMIT, () => ({ ...from(address), ...headers }));
    expect(countTaken(responses)).toBe(LIMIT);
    const refusal = responses.find(({ status }) => status === 429);
    expect(refusal?.body.code).toBe('rate_limited');
    expect(refusal?.body.message).toMatch(
      /^Your network address has used up its limit of 30 requests per minute without a valid API key; try again in \d+ seconds?$/,
    );
    expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThan(0);
    const { apiKey } = await createTenant(service);
    expect((await poll(service, { ...from(address), 'X-API-Key': apiKey })).status).toBe(404);
    expect((await poll(service, from('203.0.113.200'))).status).toBe(401);
  });

  it.each([
    ['/health/live', '203.0.113.10'],
    ['/health/ready', '203.0.113.11'],
    ['/docs-json', '203.0.113.12'],
    ['/nowhere', '203.0.113.13'],
    ['/dashboard/session', '203.0.113.14'],
  ])('requests for %s are limited', async (path, address) => {
    const statuses: number[] = [];
    for (let count = 0; count <= LIMIT; count += 1) {
      statuses.push((await request(service, path, { headers: from(address) })).status);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(statuses.at(-1)).toBe(429);
  });

  it('health checks have their own limit', async () => {
    const address = from('203.0.113.20');
    expect(countTaken(await pollMany([service], 2 * LIMIT, () => address))).toBe(LIMIT);
    expect((await request(service, '/health/live', { headers: address })).status).toBe(200);
  });

  it('addresses of one IPv6 /64 share a limit', async () => {
    const responses = await pollMany([service], 2 * LIMIT, (index) => from(`2001:db8:0:1::${index.toString(16)}`));
    expect(countTaken(responses)).toBe(LIMIT);
    expect((await poll(service, from('2001:db8:0:2::1'))).status).toBe(401);
  });
});

type Networks = readonly [usedUp: Record<string, string>, other: Record<string, string>];

/** Checks that only one guess per network waits for a locked table. */
async function expectTurns(
  table: string,
  guess: (network: Record<string, string>) => Promise<{ readonly status: number }>,
  [usedUp, other]: Networks,
): Promise<void> {
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    const guesses = Array.from({ length: GUESSES }, () => guess(usedUp));
    await until('one of them is looked up', async () => (await countBlocked()) > 0);
    const elsewhere = guess(other);
    await until('so is one from elsewhere', async () => (await countBlocked()) > 1);
    expect(await countBlocked()).toBe(2);
    await holder.rollbackTransaction();
    expect((await elsewhere).status).toBe(401);
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([429]));
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}

describe('after a network has used up its limit', () => {
  it('unknown keys are looked up one at a time', async () => {
    const address = from('203.0.113.30');
    await pollMany([service], 2 * LIMIT, () => ({ ...address, 'X-API-Key': createApiKeyText('sandbox') }));
    const guess = (network: Record<string, string>) =>
      poll(service, { ...network, 'X-API-Key': createApiKeyText('sandbox') });
    await expectTurns('api_key', guess, [address, from('203.0.113.31')]);
  });

  it('unknown sessions are looked up one at a time', async () => {
    const address = from('203.0.113.40');
    const guess = (network: Record<string, string>) =>
      request(service, '/dashboard/session', { headers: { ...network, Cookie: `einvoice_session=${createSecret()}` } });
    await Promise.all(Array.from({ length: 2 * LIMIT }, () => guess(address)));
    await expectTurns('user_session', guess, [address, from('203.0.113.41')]);
  });

  it('lookups of links are rejected before they are counted', async () => {
    const address = '203.0.113.50';
    const open = () =>
      request(service, '/dashboard/invitations/look-up', {
        method: 'POST',
        headers: { ...from(address), 'Content-Type': 'application/json' },
        body: JSON.stringify({ secret: createSecret() }),
      });
    const statuses: number[] = [];
    for (let count = 0; count < LIMIT + 5; count += 1) statuses.push((await open()).status);
    expect(statuses).toEqual([...Array<number>(LIMIT).fill(404), ...Array<number>(5).fill(429)]);
    const counted = await service.owner.query('SELECT tries FROM sign_in_throttle WHERE subject = $1', [
      `link ${address}`,
    ]);
    expect(counted).toEqual([{ tries: LIMIT }]);
  });
});

describe('X-Forwarded-For from an untrusted address', () => {
  it('is ignored', async () => {
    const responses = await pollMany([direct], 2 * LIMIT, (index) => from(`203.0.113.${index}`));
    expect(countTaken(responses)).toBe(LIMIT);
  });
});

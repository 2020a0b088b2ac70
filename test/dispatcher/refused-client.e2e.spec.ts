import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startResetService } from '../support/file-service.js';

// The authority rejects our own client id or secret with 403, according to its FAQ. Every queue that needs a login
// states this as its reason. One login per ten seconds probes the credentials, and work resumes within a minute of
// the correction.

const HOUR = 3_600;
const PROBE_SECONDS = 10;

const service = await startResetService();
const alarms: string[] = [];

async function begin(): Promise<void> {
  await service.stopClock();
  alarms.length = 0;
  Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line) => alarms.push(String(line)) });
}

interface Sent {
  readonly tenant: TestTenant;
  readonly submissionBatchId: string;
}

async function queue(tenant: TestTenant): Promise<Sent> {
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  return { tenant, submissionBatchId };
}

/** Returns the platform status and the waiting reason of the status response. */
async function seen({ tenant, submissionBatchId }: Sent): Promise<[string, string | null]> {
  const [{ submissionStatus, waiting }] = (await readStatus(service, tenant, submissionBatchId)).documents;
  return [submissionStatus, waiting?.code ?? null];
}

async function ticksUntilNothing(): Promise<void> {
  while ((await service.tick('submit')) > 0);
}

async function countCalls(api: string): Promise<number> {
  const counts = (await (await fetch(`${service.simulator.url}/_control/calls?after=0`)).json()) as { api: string }[];
  return counts.filter((call) => call.api === api).length;
}

async function clearFaults(): Promise<void> {
  await fetch(`${service.simulator.url}/_control/faults`, { method: 'DELETE' });
}

async function readTin({ tenantId }: TestTenant): Promise<string> {
  const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
    tenantId,
  ]);
  return tin;
}

/** Causes of a rejected login, and their corrections. */
const REFUSALS: [name: string, refuse: () => Promise<unknown>, endRefusal: () => Promise<unknown>][] = [
  ...['login-403', 'login-403-empty', 'login-unauthorised-client'].map((fault): (typeof REFUSALS)[number] => [
    fault,
    () => service.control('faults', [{ when: { api: 'token' }, fault, times: 100_000 }]),
    clearFaults,
  ]),
  [
    'invalid_client',
    () => service.control('settings', { clientSecret: 'rotated' }),
    () => service.control('settings', { clientSecret: 'test-secret' }),
  ],
];

describe.each(REFUSALS)('our own client id or secret, rejected by %s', (_, refuse, endRefusal) => {
  beforeEach(begin);

  it('stops all queues that need a login until a minute after the correction', async () => {
    const known = [await createTenant(service), await createTenant(service), await createTenant(service)];
    for (const tenant of known) await issue(service, tenant, invoice());
    await service.advance(HOUR);
    await refuse();
    const fresh = await createTenant(service);
    const sent: Sent[] = [];
    for (const tenant of [...known, fresh]) sent.push(await queue(tenant));
    await ticksUntilNothing();
    for (const each of sent) expect(await seen(each)).toEqual(['Queued', 'authority_unavailable']);
    expect(alarms.join('\n')).toMatch(/AUTHORITY_SANDBOX_CLIENT_ID and AUTHORITY_SANDBOX_CLIENT_SECRET/);

    const [logins, submits] = [await countCalls('token'), await countCalls('submit')];
    for (let second = 0; second < 120; second += 2) {
      await service.advance(2);
      await service.tick('credentials');
      await ticksUntilNothing();
      if (second % 20 === 0) {
        for (const each of sent) expect(await seen(each)).toEqual(['Queued', 'authority_unavailable']);
      }
    }
    const probes = (await countCalls('token')) - logins;
    expect(probes, 'one in ten seconds').toBeGreaterThanOrEqual(120 / PROBE_SECONDS - 3);
    expect(probes).toBeLessThanOrEqual(120 / PROBE_SECONDS + 1);
    expect(await countCalls('submit'), 'no document leaves').toBe(submits);

    await endRefusal();
    for (let second = 0; second < 30; second += 5) {
      await service.advance(5);
      await service.tick('credentials');
      await ticksUntilNothing();
    }
    for (const each of sent) expect(await seen(each)).toEqual(['Submitted', null]);
    await service.settle();
    const taken = (await service.wireLog()).map(({ supplierTin, number }) => `${supplierTin}/${number}`);
    expect(taken).toHaveLength(known.length + sent.length);
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('does not delay tenants with a valid token', async () => {
    const [old, young] = [await createTenant(service), await createTenant(service)];
    await issue(service, old, invoice());
    await service.advance(HOUR - 400);
    await issue(service, young, invoice());
    await service.advance(500);
    await refuse();
    const stuck = await queue(old);
    await ticksUntilNothing();
    await service.advance(PROBE_SECONDS);
    await service.tick('credentials');
    const sent = await queue(young);
    await ticksUntilNothing();
    expect(await seen(stuck)).toEqual(['Queued', 'authority_unavailable']);
    expect(await seen(sent)).toEqual(['Submitted', null]);
  });
});

describe('a single organisation that is rejected with 403', () => {
  beforeEach(begin);

  it.each([
    ['on its first login', false],
    ['after an earlier login', true],
  ])('waits as not_appointed without affecting other logins: %s', async (_, wasLetIn) => {
    const [refused, other, third] = [
      await createTenant(service),
      await createTenant(service),
      await createTenant(service),
    ];
    for (const tenant of wasLetIn ? [refused, other] : [other]) await issue(service, tenant, invoice());
    await service.advance(HOUR);
    await service.control('faults', [
      { when: { api: 'token', supplierTin: await readTin(refused) }, fault: 'login-403', times: 1_000 },
    ]);
    const stuck = await queue(refused);
    await ticksUntilNothing();
    const sent = [await queue(other), await queue(third)];
    await ticksUntilNothing();
    expect(await seen(stuck)).toEqual(['Queued', 'not_appointed']);
    for (const each of sent) expect(await seen(each)).toEqual(['Submitted', null]);
    expect(alarms).toEqual([]);
  });

  it('does not stop logins after a successful probe for another tenant', async () => {
    const [refused, fresh] = [await createTenant(service), await createTenant(service)];
    await issue(service, refused, invoice());
    await service.advance(HOUR);
    await service.control('faults', [
      { when: { api: 'token', supplierTin: await readTin(refused) }, fault: 'login-403', times: 1_000 },
    ]);
    const stuck = await queue(refused);
    await ticksUntilNothing();
    expect(await seen(stuck)).toEqual(['Queued', 'authority_unavailable']);
    const sent = await queue(fresh);
    await ticksUntilNothing();
    for (let second = 0; second < 60; second += 5) {
      await service.advance(5);
      await service.tick('credentials');
      await ticksUntilNothing();
    }
    expect(await seen(sent)).toEqual(['Submitted', null]);
    expect(await seen(stuck)).toEqual(['Queued', 'not_appointed']);
  });
});

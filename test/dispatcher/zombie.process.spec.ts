import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import type { Program } from '../support/program.js';
import { until } from '../support/until.js';
import { ProcessHarness } from './processes.js';
import { type DispatcherReplica, startReplica } from './replica.js';

// Stops a dispatcher with SIGSTOP for three times its lease while another one takes over its work (R8).

const TIMEOUT_MS = 120_000;
const LEASE_SECONDS = 3;
const GRACE_SECONDS = 60;

let harness: ProcessHarness;
let tenant: TestTenant;
let zombie: Program;
let other: DispatcherReplica;

beforeEach(async () => {
  harness = await ProcessHarness.start({
    AUTHORITY_DEADLINE_SECONDS: '2',
    DISPATCH_LEASE_SECONDS: String(LEASE_SECONDS),
  });
  tenant = await createTenant(harness.service);
  // Sends one document first, so that the token exists and the loops run.
  zombie = await harness.dispatcher();
  await accept(harness.service, tenant, [invoice()]);
  await harness.untilAll('Valid');
  other = await startReplica(harness.settings);
}, TIMEOUT_MS);
afterEach(async () => {
  await other?.close();
  await harness?.stop();
});

/**
 * Claims a call whose slot is almost two seconds away, which leaves time to stop the dispatcher between claim and send.
 */
async function stopBeforeSend(): Promise<void> {
  await harness.service.owner.query(
    `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until)
     VALUES ('test-client-sandbox', 'sandbox', 'submit', service_now(), service_now() + interval '1.9 seconds')
     ON CONFLICT (client_id, environment, api) DO UPDATE SET blocked_until = excluded.blocked_until`,
  );
  await accept(harness.service, tenant, [invoice()]);
  await until('the call is claimed', async () => (await sending()) === 1);
  // The dispatcher reads its token and then only waits for its slot. There, only its deadline can stop it.
  await wait(500);
  zombie.kill('SIGSTOP');
  expect(harness.proxy.listCalls('submit'), 'it was stopped in time').toHaveLength(1);
}

async function stopBeforeResponse(): Promise<() => void> {
  const release = harness.proxy.hold('submit', harness.proxy.after);
  await accept(harness.service, tenant, [invoice()]);
  await until('the authority has taken the call', async () => (await harness.taken()).length === 2);
  zombie.kill('SIGSTOP');
  return release;
}

function sending(): Promise<number> {
  return harness.count('authority_submission', `state = 'sending'`);
}

/** Waits until the other dispatcher finds the expired lease and takes over the work. */
async function isTakenOver(): Promise<void> {
  for (let look = 0; look < 5; look += 1) {
    await harness.service.advance(GRACE_SECONDS + LEASE_SECONDS + 1);
    await other.tick('reconcile');
  }
}

/** Resumes the dispatcher after three leases and waits until it has acted again. */
async function wakeUp(stoppedAt: number): Promise<void> {
  await wait(Math.max(0, 3 * LEASE_SECONDS * 1_000 - (performance.now() - stoppedAt)));
  zombie.kill('SIGCONT');
  const before = harness.proxy.listCalls('submit').length;
  await accept(harness.service, tenant, [invoice()]);
  await until('it works again', () => harness.proxy.listCalls('submit').length > before);
  await harness.untilAll('Valid');
}

describe.each([
  ['with', true],
  ['without', false],
])('a dispatcher that is paused for three leases (%s the duplicate rules of the authority)', (_, duplicateRules) => {
  beforeEach(() => harness.service.control('settings', { duplicateRules }));

  it(
    'never sends documents that another dispatcher has sent',
    async () => {
      await stopBeforeSend();
      const stoppedAt = performance.now();
      await isTakenOver();
      expect(await harness.taken()).toHaveLength(2);
      await wakeUp(stoppedAt);
      const taken = await harness.taken();
      expect(taken).toHaveLength(3);
      expect(new Set(taken).size).toBe(3);
      expect(harness.proxy.listCalls('submit')).toHaveLength(3);
    },
    TIMEOUT_MS,
  );

  it(
    'does not change the results of another dispatcher',
    async () => {
      const release = await stopBeforeResponse();
      const stoppedAt = performance.now();
      await isTakenOver();
      expect(await harness.count('authority_submission', `state = 'accepted'`)).toBe(2);
      release();
      await wakeUp(stoppedAt);
      const taken = await harness.taken();
      expect(taken).toHaveLength(3);
      expect(new Set(taken).size).toBe(3);
    },
    TIMEOUT_MS,
  );
});

describe.each([
  ['is refused by the authority, since the bytes are the same', true, 0],
  ['is the one case that only the duplicate rules of the authority keep from being taken twice', false, 1],
])('a request that arrives after its resend', (title, duplicateRules, takenTwice) => {
  it(
    title,
    async () => {
      await harness.service.control('settings', { duplicateRules });
      const release = harness.proxy.hold('submit', harness.proxy.before);
      await accept(harness.service, tenant, [invoice()]);
      await until('the call is on its way', () => harness.proxy.listCalls('submit').length === 2);
      await until('its response is not awaited any more', async () => (await sending()) === 0);
      // New requests pass. The held request stays held.
      harness.proxy.before.clear();
      await until('it was sent again', async () => {
        await harness.service.advance(GRACE_SECONDS + 1);
        await other.tick('reconcile');
        return (await harness.taken()).length === 2;
      });
      release();
      await until('the late request has arrived', () => harness.proxy.listCalls('submit')[1].status > 0);
      const taken = await harness.taken();
      expect(taken.length - new Set(taken).size).toBe(takenTwice);
    },
    TIMEOUT_MS,
  );
});

import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import type { Program } from '../support/program.js';
import { until } from '../support/until.js';
import { ProcessHarness } from './processes.js';
import { startReplica } from './replica.js';

// Behaviour of a dispatcher process that is stopped during a call.

const TIMEOUT_MS = 120_000;
const DEADLINE_SECONDS = 5;
const GRACE_SECONDS = 60;
/** A second signal within this time is ignored, because npm repeats the terminal's signal. */
const REPEATED_SIGNAL_MS = 1_000;

let harness: ProcessHarness;
let tenant: TestTenant;
let dispatcher: Program;

beforeEach(async () => {
  harness = await ProcessHarness.start({
    AUTHORITY_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
    DISPATCH_LEASE_SECONDS: '10',
  });
  tenant = await createTenant(harness.service);
  dispatcher = await harness.dispatcher();
}, TIMEOUT_MS);
afterEach(() => harness?.stop());

function submissions(state: string): Promise<number> {
  return harness.count('authority_submission', `state = '${state}'`);
}

/** Starts a dispatcher whose call waits at the authority until the test releases the response. */
async function waitUntilMidCall(): Promise<() => void> {
  const release = harness.proxy.hold('submit', harness.proxy.after);
  await accept(harness.service, tenant, [invoice()]);
  await until('the authority has taken the call', async () => (await harness.taken()).length === 1);
  return release;
}

describe('a dispatcher that is stopped during a call', { timeout: TIMEOUT_MS }, () => {
  it('settles the call and exits with code 0', async () => {
    const release = await waitUntilMidCall();
    dispatcher.kill('SIGTERM');
    // The loops look for work four times a second. Any further claim would have happened by then.
    await accept(harness.service, tenant, [invoice()]);
    await wait(1_000);
    expect(dispatcher.isRunning()).toBe(true);
    expect(harness.proxy.listCalls('submit')).toHaveLength(1);
    release();
    expect(await dispatcher.ended).toEqual({ exitCode: 0, signal: null });
    expect(await submissions('accepted')).toBe(1);
    expect(await harness.count('document_transaction', `submission_status = 'Queued'`)).toBe(1);
  });

  it('exits after the deadline of the call and leaves it in doubt', async () => {
    await waitUntilMidCall();
    dispatcher.kill('SIGTERM');
    // The authority never responds to this call.
    expect(await dispatcher.ended).toEqual({ exitCode: 0, signal: null });
    expect(await submissions('unknown')).toBe(1);
  });

  it('exits immediately after a second signal and leaves the call to a lookup', async () => {
    const release = await waitUntilMidCall();
    dispatcher.kill('SIGTERM');
    await wait(REPEATED_SIGNAL_MS + 100);
    dispatcher.kill('SIGTERM');
    // Exit code 0 would mean that the dispatcher waited for the call and settled it.
    expect(await dispatcher.ended).toEqual({ exitCode: 1, signal: null });
    expect(await submissions('sending')).toBe(1);
    release();
    const next = await startReplica(harness.settings);
    await harness.service.advance(11);
    await next.tick('reconcile');
    expect(await submissions('unknown')).toBe(1);
    await harness.service.advance(GRACE_SECONDS + 1);
    await next.tick('reconcile');
    await next.close();
    expect(await submissions('accepted')).toBe(1);
    expect(harness.proxy.listCalls('submit')).toHaveLength(1);
  });
});

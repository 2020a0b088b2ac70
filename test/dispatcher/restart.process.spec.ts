import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import type { Program } from '../support/program.js';
import { until } from '../support/until.js';
import { ProcessHarness } from './processes.js';

// Replaces all dispatchers one by one while clients submit documents (R15).

const TIMEOUT_MS = 180_000;
const DISPATCHERS = 2;
const ROUNDS = 2;
/** Long enough that a call is in progress whenever a dispatcher is stopped. */
const SUBMIT_MS = 200;
/** A larger number would only make the test slower. */
const QUEUED_MAX = 100;

let harness: ProcessHarness;
let tenants: TestTenant[];
beforeAll(async () => {
  harness = await ProcessHarness.start({ AUTHORITY_DEADLINE_SECONDS: '20', DISPATCH_LEASE_SECONDS: '60' });
  tenants = await Promise.all(Array.from({ length: 4 }, () => createTenant(harness.service, { credits: 100_000 })));
  // The database records the events, because a call in doubt only for a moment would otherwise be missed.
  await harness.service.owner.query(`
    CREATE TABLE doubt_log (reason text);
    GRANT INSERT ON doubt_log TO einvoice_dispatcher;
    CREATE FUNCTION log_doubt() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO doubt_log VALUES (NEW.failure); RETURN NULL; END $$;
    CREATE TRIGGER log_doubt AFTER UPDATE ON authority_submission FOR EACH ROW WHEN (NEW.state = 'unknown')
    EXECUTE FUNCTION log_doubt()`);
}, TIMEOUT_MS);
afterAll(() => harness?.stop());

function queued(): Promise<number> {
  return harness.count('document_transaction', `submission_status = 'Queued'`);
}

it(
  'needs no login and duplicates no document during a rolling restart under load (R15)',
  async () => {
    const dispatchers: Program[] = [];
    for (let index = 0; index < DISPATCHERS; index += 1) dispatchers.push(await harness.dispatcher());
    for (const tenant of tenants) await accept(harness.service, tenant, [invoice()]);
    await harness.untilAll('Valid');
    const logins = harness.proxy.listCalls('token').length;
    expect(logins).toBe(tenants.length);

    harness.proxy.before.set('submit', () => wait(SUBMIT_MS));
    const enough = new AbortController();
    let accepted = tenants.length;
    const load = Promise.all(
      tenants.map(async (tenant) => {
        while (!enough.signal.aborted) {
          await accept(
            harness.service,
            tenant,
            Array.from({ length: 5 }, () => invoice()),
          );
          accepted += 5;
          await until('there is room for more', async () => (await queued()) < QUEUED_MAX);
        }
      }),
    );
    for (let restart = 0; restart < ROUNDS * DISPATCHERS; restart += 1) {
      const calls = harness.proxy.listCalls('submit').length;
      await until('calls are under way', () => harness.proxy.listCalls('submit').length >= calls + 3);
      const stopping = dispatchers[restart % DISPATCHERS];
      stopping.kill('SIGTERM');
      expect(await stopping.ended).toEqual({ exitCode: 0, signal: null });
      dispatchers[restart % DISPATCHERS] = await harness.dispatcher();
    }
    enough.abort();
    await load;
    await harness.untilAll('Valid');

    expect(harness.proxy.listCalls('token')).toHaveLength(logins);
    expect(await harness.service.owner.query('SELECT reason FROM doubt_log')).toEqual([]);
    const taken = await harness.taken();
    expect(taken).toHaveLength(accepted);
    expect(new Set(taken).size).toBe(accepted);
  },
  TIMEOUT_MS,
);

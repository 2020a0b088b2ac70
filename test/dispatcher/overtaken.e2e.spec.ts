import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

// The results of a dispatcher are discarded once another dispatcher has taken over the call.

const GRACE_SECONDS = 61;
const LEASE_SECONDS = 10;
const NO_SEARCH = { searchLagMs: 24 * 3_600_000 };

let proxy: AuthorityProxy;
let tenant: TestTenant;
beforeAll(async () => {
  proxy = await AuthorityProxy.start({
    simulator: { duplicateRules: false, ...NO_SEARCH },
    environment: { AUTHORITY_DEADLINE_SECONDS: '9', DISPATCH_LEASE_SECONDS: String(LEASE_SECONDS) },
  });
});
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
});
afterAll(() => proxy.stop());

async function readCall(): Promise<Record<string, unknown>> {
  const [call] = await proxy.service.owner.query<Record<string, unknown>[]>(
    'SELECT * FROM authority_submission WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  return call;
}

async function untilCalled(api: 'submit' | 'search', from: number): Promise<void> {
  const isAnswered = (): boolean => proxy.listCalls(api, from).some(({ status }) => status > 0);
  await expect.poll(isAnswered, { timeout: 8_000 }).toBe(true);
}

describe('the result of an outdated lookup', () => {
  it('does not change the call', async () => {
    const referenceId = reference();
    await accept(proxy.service, tenant, [invoice({ referenceId })]);
    await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await proxy.service.tick('submit');
    await proxy.service.advance(GRACE_SECONDS);
    const before = proxy.calls.length;
    const release = proxy.hold('search', proxy.after);
    onTestFinished(release);
    const overtaken = proxy.service.tick('reconcile');
    await untilCalled('search', before);
    proxy.after.delete('search');
    await proxy.service.advance(LEASE_SECONDS + 1);
    await proxy.service.tick('reconcile');
    const left = await readCall();
    expect(left).toMatchObject({ state: 'unknown', lookups: 2 });
    await proxy.service.advance(1);
    release();
    await overtaken;
    expect(await readCall()).toEqual(left);
  });
});

describe('the response to a call taken over by another dispatcher', () => {
  it('does not change the call', async () => {
    await accept(proxy.service, tenant, [invoice()]);
    const before = proxy.calls.length;
    const release = proxy.hold('submit', proxy.after);
    onTestFinished(release);
    const sending = proxy.service.tick('submit');
    await untilCalled('submit', before);
    await proxy.service.owner.query(
      'UPDATE authority_submission SET owner = gen_random_uuid(), sends = sends + 1 WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    const taken = await readCall();
    release();
    await sending;
    expect(await readCall()).toEqual(taken);
  });
});

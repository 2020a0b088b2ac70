import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTenant, get, readBalance, type TestTenant } from '../support/client.js';
import { type Browser, signUp, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';
import { createSubject } from './late-access.js';

// Access that ends during a request does not affect committed or shared work.

const ROUNDS = 12;

const service = await startFileService();

let tenant: TestTenant;
let member: Browser;
let path: string;
beforeAll(async () => {
  tenant = await createTenant(service);
  member = await signUpInto(service, tenant.tenantId, 'member');
  path = `/organisations/${tenant.tenantId}/sandbox`;
});

function remove({ session }: Browser): Promise<unknown> {
  return service.owner.query('DELETE FROM membership WHERE tenant_id = $1 AND user_id = $2', [
    tenant.tenantId,
    session?.user.userId,
  ]);
}

/** Runs work while requests wait for the audit log. */
async function whileAuditWaits<T>(requests: readonly (() => Promise<T>)[], work = async () => {}): Promise<T[]> {
  const holder = service.owner.createQueryRunner();
  try {
    await holder.startTransaction();
    await holder.query('LOCK TABLE audit_entry IN SHARE MODE');
    const responses = requests.map((request) => request());
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'audit_entry'::regclass`;
    await until('all wait', async () => (await service.owner.query<object[]>(waiting)).length === requests.length);
    await work();
    await holder.commitTransaction();
    return await Promise.all(responses);
  } finally {
    await holder.release();
  }
}

describe('an accepted submit', () => {
  it('returns 200 even if its user is removed before the response', async () => {
    const sender = await signUpInto(service, tenant.tenantId, 'member');
    const balance = await readBalance(service, tenant);
    const body = { submission_type: 'non-consolidated', documents: [invoice()] };
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const submit = () => sender.post(`${path}/submissions`, body, options);
    const [response] = await whileAuditWaits([submit], async () => void (await remove(sender)));
    expect(response.status, response.text).toBe(200);
    expect(await readBalance(service, tenant)).toBe(balance - 1);
    const entries = await service.owner.query<object[]>(
      `SELECT FROM audit_entry WHERE tenant_id = $1 AND action = 'documents.submitted' AND user_id = $2`,
      [tenant.tenantId, sender.session?.user.userId],
    );
    expect(entries).toHaveLength(1);
  });
});

describe('a login at the authority', () => {
  it('continues for other requests after the removal of the user who started it', async () => {
    await service.control('settings', { latencyMs: 300 });
    const question = { tin: 'C9876543210', idType: 'BRN', idValue: '202001234567' };
    const first = member.post(`${path}/tin-checks`, question);
    const claimed = 'SELECT FROM authority_token WHERE login_owner IS NOT NULL';
    await until('the login has begun', async () => (await service.owner.query<object[]>(claimed)).length > 0);
    const query = new URLSearchParams({ idType: question.idType, idValue: question.idValue });
    const second = get(service, tenant, `/v1/einvoice/validate-taxpayer-tin/${question.tin}?${String(query)}`);
    await remove(member);
    expect((await first).status).toBe(404);
    const { status, text } = await second;
    expect(status, text).toBe(200);
  });
});

describe('a password change', () => {
  it('does not deadlock with a concurrent password change', async () => {
    const { browser } = await signUp(service);
    const ofSignIns = `WHERE subject ~ '^(?:device|sign-in) '`;
    const change = (): Promise<{ status: number }> =>
      browser.post('/password', { current: 'not the password', next: 'Another passphrase 77' });
    const countTries = async (): Promise<number> => {
      const statement = `SELECT sum(tries)::integer AS tries FROM sign_in_throttle ${ofSignIns}`;
      return (await service.owner.query<[{ tries: number }]>(statement))[0].tries;
    };
    expect((await change()).status).toBe(401);
    const tries = await countTries();
    const [counters, user] = [service.owner.createQueryRunner(), service.owner.createQueryRunner()];
    try {
      await counters.startTransaction();
      await counters.query(`SELECT FROM sign_in_throttle ${ofSignIns} FOR UPDATE`);
      const response = change();
      await service.blockedBy(counters);
      await user.startTransaction();
      await user.query('SELECT FROM user_account WHERE id = $1 FOR NO KEY UPDATE', [browser.session?.user.userId]);
      await counters.commitTransaction();
      await service.blockedBy(user);
      expect(await countTries()).toBe(tries + 1);
      await user.commitTransaction();
      expect((await response).status).toBe(401);
    } finally {
      for (const holder of [counters, user]) {
        if (holder.isTransactionActive) await holder.rollbackTransaction();
        await holder.release();
      }
    }
  });
});

describe('simultaneous requests of two sessions', () => {
  it('do not deadlock when one ends the other session', async () => {
    const { session } = await signUpInto(service, tenant.tenantId, 'owner');
    const owner = { browser: member, userId: session?.user.userId ?? '' };
    const organisation = { service, tenantId: tenant.tenantId, path, owner };
    const statuses: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { otherBrowser, headers } = await createSubject(organisation, 'user');
      const renaming = otherBrowser.call('PATCH', '/account', { name: 'Badrul' });
      const ending = fetch(`${service.url}/dashboard/sessions/end-others`, { method: 'POST', headers });
      statuses.push((await renaming).status, (await ending).status);
    }
    expect(statuses.filter((status) => status !== 204 && status !== 401)).toEqual([]);
  });

  it.each([
    ['both sign out of one session', '/sign-out', 'headers'],
    ['each session ends the other', '/sessions/end-others', 'otherHeaders'],
  ] as const)('succeed only once when %s', async (_, operation, second) => {
    const { session } = await signUpInto(service, tenant.tenantId, 'owner');
    const owner = { browser: member, userId: session?.user.userId ?? '' };
    const organisation = { service, tenantId: tenant.tenantId, path, owner };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { headers, otherBrowser } = await createSubject(organisation, 'user');
      const { cookie, session: other } = otherBrowser;
      const otherHeaders = { Cookie: cookie ?? '', 'X-CSRF-Token': other?.csrfToken ?? '' };
      const credentials = [headers, { headers, otherHeaders }[second]];
      const post = (sent: Readonly<Record<string, string>>): Promise<Response> =>
        fetch(`${service.url}/dashboard${operation}`, { method: 'POST', headers: sent });
      const statuses = (await Promise.all(credentials.map(post))).map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 401]);
    }
  });
});

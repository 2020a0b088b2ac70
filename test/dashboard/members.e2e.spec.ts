import { describe, expect, it } from 'vitest';
import type { MemberDto, MemberPageDto } from '../../src/dashboard-api/members/dto/member.dto.js';
import type { SessionDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import { readAudit, invite, join, newEmail, organisation, type Problem } from '../support/people.js';
import { Browser } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';

const service = await startFileService();

async function roles(tenantId: string): Promise<Record<string, string>> {
  const rows = await service.owner.query<{ userId: string; role: string }[]>(
    `SELECT user_id AS "userId", role FROM membership WHERE tenant_id = $1`,
    [tenantId],
  );
  return Object.fromEntries(rows.map(({ userId, role }) => [userId, role]));
}

describe('organisation members', () => {
  it('are listed with their roles in pages and CSV', async () => {
    const { browser, path, email, userId } = await organisation(service);
    const viewer = await join(service, browser, path, 'viewer');
    const { status, body } = await viewer.browser.get<MemberPageDto>(`${path}/members`);
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        { userId, email, name: 'Aisyah', role: 'owner', joinedAt: expect.any(String) },
        { userId: viewer.userId, email: viewer.email, name: 'Badrul', role: 'viewer', joinedAt: expect.any(String) },
      ],
      next: null,
    });
    const { body: first } = await browser.get<MemberPageDto>(`${path}/members?limit=1`);
    const { body: second } = await browser.get<MemberPageDto>(`${path}/members?limit=1&cursor=${first.next}`);
    expect([first.items[0].email, second.items[0].email, second.next]).toEqual([email, viewer.email, null]);
    const file = await viewer.browser.get(`${path}/members.csv`);
    expect(file.text).toContain(`Badrul,${viewer.email},viewer,`);
  });

  it('use a new role from the next request', async () => {
    const { browser, path, tenantId, email } = await organisation(service);
    const viewer = await join(service, browser, path, 'viewer');
    expect((await viewer.browser.get(`${path}/audit`)).status).toBe(403);
    const response = await browser.call<MemberDto>('PATCH', `${path}/members/${viewer.userId}`, { role: 'owner' });
    expect([response.status, response.body.role]).toEqual([200, 'owner']);
    expect((await viewer.browser.get(`${path}/audit`)).status).toBe(200);
    const entry = (await readAudit(service, tenantId)).at(-1);
    expect(entry).toMatchObject({ action: 'member.role_changed', actor: email, subject: viewer.email });
    expect(entry?.details).toEqual({ from: 'viewer', to: 'owner', revokedInvitations: 0 });
    const wrong = await browser.call<Problem>('PATCH', `${path}/members/${viewer.userId}`, { role: 'king' });
    expect([wrong.status, wrong.body.errors]).toEqual([400, ['role must be one of: viewer, member, owner']]);
  });

  it('lose access and their invitation links when removed', async () => {
    const { browser, path, tenantId } = await organisation(service);
    const other = await join(service, browser, path, 'owner');
    const secret = await invite(other.browser, path, newEmail(), 'owner');
    expect((await browser.call('DELETE', `${path}/members/${other.userId}`)).status).toBe(204);
    const response = await other.browser.get<Problem>(`${path}/members`);
    expect([response.status, response.body.code]).toEqual([404, 'organisation_not_found']);
    expect((await new Browser(service).post('/invitations/look-up', { secret })).status).toBe(404);
    expect((await other.browser.get<SessionDto>('/session')).body.organisations).toEqual([]);
    const entry = (await readAudit(service, tenantId)).at(-1);
    expect(entry).toMatchObject({ action: 'member.removed', subject: other.email });
    expect(entry?.details).toEqual({ role: 'owner', revokedInvitations: 1, revokedKeys: [], keptKeys: [] });
  });

  it('can leave the organisation', async () => {
    const { browser, path, tenantId } = await organisation(service);
    const viewer = await join(service, browser, path, 'viewer');
    expect((await viewer.browser.post(`${path}/leave`, {})).status).toBe(204);
    expect((await viewer.browser.get(`${path}/members`)).status).toBe(404);
    const entry = (await readAudit(service, tenantId)).at(-1);
    expect(entry).toMatchObject({ action: 'member.left', actor: viewer.email, subject: viewer.email });
  });
});

describe('last owner', () => {
  it('cannot leave, be demoted or be removed', async () => {
    const { browser, path, tenantId, userId } = await organisation(service);
    await join(service, browser, path, 'member');
    const before = await readAudit(service, tenantId);
    const refusals = [
      await browser.post<Problem>(`${path}/leave`, {}),
      await browser.call<Problem>('PATCH', `${path}/members/${userId}`, { role: 'viewer' }),
      await browser.call<Problem>('DELETE', `${path}/members/${userId}`),
    ];
    for (const { status, body } of refusals) {
      expect([status, body.code]).toEqual([409, 'last_owner']);
      expect(body.message).toContain('make another member an owner first');
    }
    expect((await roles(tenantId))[userId]).toBe('owner');
    expect(await readAudit(service, tenantId)).toEqual(before);
  });

  it.each<[string, number, (path: string, id: string) => [string, string, object?]]>([
    ['lower', 403, (path, id) => ['PATCH', `${path}/members/${id}`, { role: 'viewer' }]],
    ['remove', 404, (path, id) => ['DELETE', `${path}/members/${id}`]],
  ])('remains when two owners %s each other concurrently', async (_, refusal, change) => {
    const { browser, path, tenantId, userId } = await organisation(service);
    const other = await join(service, browser, path, 'owner');
    // Both requests pass the role check and wait for the same lock.
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM membership WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    const calls = [browser.call<Problem>(...change(path, other.userId))];
    await service.blockedBy(holder);
    calls.push(other.browser.call<Problem>(...change(path, userId)));
    await waitersOn(2);
    await holder.commitTransaction();
    await holder.release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect([statuses[0] < 300, statuses[1]]).toEqual([true, refusal]);
    expect(Object.values(await roles(tenantId)).filter((role) => role === 'owner')).toHaveLength(1);
  });

  it('remains when two owners leave concurrently', async () => {
    const { browser, path, tenantId } = await organisation(service);
    const other = await join(service, browser, path, 'owner');
    const responses = await Promise.all([browser, other.browser].map((one) => one.post<Problem>(`${path}/leave`, {})));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
    expect(Object.values(await roles(tenantId))).toEqual(['owner']);
  });
});

/** Waits until this number of statements is blocked by a lock. */
async function waitersOn(count: number): Promise<void> {
  await until(`${count} statements wait for a lock`, async () => {
    const [{ waiting }] = await service.owner.query<{ waiting: number }[]>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return waiting >= count;
  });
}

describe('member permissions', () => {
  it('allow only owners to change members', async () => {
    const { browser, path, tenantId, userId } = await organisation(service);
    const [viewer, member] = [
      await join(service, browser, path, 'viewer'),
      await join(service, browser, path, 'member'),
    ];
    const before = await roles(tenantId);
    for (const person of [viewer, member]) {
      for (const [method, target, body] of [
        ['PATCH', `${path}/members/${person.userId}`, { role: 'owner' }],
        ['DELETE', `${path}/members/${userId}`, undefined],
      ] as const) {
        const response = await person.browser.call<Problem>(method, target, body);
        expect([response.status, response.body.code]).toEqual([403, 'role_too_low']);
      }
    }
    expect(await roles(tenantId)).toEqual(before);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_ACTOR } from '../../src/accounts/audit.js';
import type {
  KeyActivityDto,
  KeyPageDto,
  MadeKeyDto,
  RotatedKeyDto,
} from '../../src/dashboard-api/keys/dto/key.dto.js';
import { UserCommand } from '../cli/user-command.js';
import { cancel, submit } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { readAudit, completeProfile, join, organisation, type Person, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

type Undecided = Problem & { keys: { keyId: string; name: string; environment: string; lastFour: string }[] };

const service = await startFileService();
let owner: Awaited<ReturnType<typeof organisation>>;
let leaver: Person;
beforeEach(async () => {
  owner = await organisation(service);
  await completeProfile(service, owner.tenantId);
  leaver = await join(service, owner.browser, owner.path, 'member');
});

async function makeKey(by: Person, name = 'ERP'): Promise<MadeKeyDto> {
  const response = await by.browser.post<MadeKeyDto>(`${owner.path}/keys`, { name, environment: 'sandbox' });
  expect(response.status, response.text).toBe(201);
  return response.body;
}

async function states(): Promise<Record<string, string>> {
  const { body } = await owner.browser.get<KeyPageDto>(`${owner.path}/keys`);
  return Object.fromEntries(body.items.map(({ keyId, state }) => [keyId, state]));
}

async function findRole({ userId }: Person): Promise<string | undefined> {
  const [row] = await service.owner.query<{ role: string }[]>(
    'SELECT role FROM membership WHERE tenant_id = $1 AND user_id = $2',
    [owner.tenantId, userId],
  );
  return row?.role;
}

/** Ways to end a membership. */
const WAYS = {
  removed: (choice: string) =>
    owner.browser.call<Undecided>('DELETE', `${owner.path}/members/${leaver.userId}${choice}`),
  left: (choice: string) => leaver.browser.post<Undecided>(`${owner.path}/leave${choice}`, {}),
} as const;

describe('API key', () => {
  it('shows the user who created or rotated it', async () => {
    const { keyId } = await makeKey(leaver);
    const rotated = await owner.browser.post<RotatedKeyDto>(`${owner.path}/keys/${keyId}/rotate`, { overlapHours: 1 });
    expect(rotated.status).toBe(201);
    const { body } = await owner.browser.get<KeyPageDto>(`${owner.path}/keys`);
    expect(body.items.map((key) => [key.keyId, key.createdBy])).toEqual([
      [rotated.body.keyId, { kind: 'user', id: owner.userId, name: 'Aisyah', detail: owner.email }],
      [keyId, { kind: 'user', id: leaver.userId, name: 'Badrul', detail: leaver.email }],
    ]);
    expect((await owner.browser.get(`${owner.path}/keys.csv`)).text).toContain(`Badrul (${leaver.email})`);
  });

  it('shows its activity, which is recorded in the audit log on revocation', async () => {
    const { keyId, apiKey } = await makeKey(leaver);
    const unused = await makeKey(leaver, 'Unused');
    const caller = { tenantId: owner.tenantId, apiKey };
    const referenceId = reference();
    expect((await submit(service, caller, [invoice({ referenceId }), invoice()])).status).toBe(200);
    expect((await submit(service, caller, [invoice()])).status).toBe(200);
    await service.settle();
    const [{ id }] = await service.owner.query<{ id: string }[]>(
      'SELECT id FROM document WHERE tenant_id = $1 AND reference_id = $2',
      [owner.tenantId, referenceId],
    );
    expect((await cancel(service, caller, { documentId: id })).status).toBe(202);
    await service.owner.query('UPDATE user_session SET last_seen_at = service_now()');
    const activity = await owner.browser.get<KeyActivityDto>(`${owner.path}/keys/${keyId}/activity`);
    const done = { submissionCount: 2, documentCount: 3, cancellationCount: 1, isCapped: false };
    expect(activity.body).toEqual({ ...done, lastSubmissionAt: expect.any(String) });
    const nothing = await owner.browser.get<KeyActivityDto>(`${owner.path}/keys/${unused.keyId}/activity`);
    expect(nothing.body).toMatchObject({
      submissionCount: 0,
      documentCount: 0,
      cancellationCount: 0,
      lastSubmissionAt: null,
    });
    expect((await owner.browser.call('DELETE', `${owner.path}/keys/${keyId}`)).status).toBe(204);
    expect((await readAudit(service, owner.tenantId)).at(-1)).toMatchObject({
      action: 'key.revoked',
      details: { keyId, environment: 'sandbox', activity: done },
    });
  });
});

describe('member with active keys', () => {
  it.each(['removed', 'left'] as const)('cannot be %s without specifying what happens to the keys', async (way) => {
    const { keyId, apiKey } = await makeKey(leaver);
    const revoked = await makeKey(leaver, 'Revoked');
    await owner.browser.call('DELETE', `${owner.path}/keys/${revoked.keyId}`);
    await makeKey(owner, 'Of the owner');
    const before = await readAudit(service, owner.tenantId);
    const response = await WAYS[way]('');
    expect([response.status, response.body.code]).toEqual([409, 'member_keys_undecided']);
    expect(response.body.message).toContain('ERP');
    expect(response.body.keys).toEqual([
      expect.objectContaining({ keyId, name: 'ERP', environment: 'sandbox', lastFour: apiKey.slice(-4) }),
    ]);
    expect(await findRole(leaver)).toBe('member');
    expect(await readAudit(service, owner.tenantId)).toEqual(before);
  });

  it.each(['removed', 'left'] as const)('can be %s with revoked keys', async (way) => {
    const { keyId } = await makeKey(leaver);
    const kept = await makeKey(owner, 'Of the owner');
    expect((await WAYS[way]('?keys=revoke')).status).toBe(204);
    expect(await findRole(leaver)).toBeUndefined();
    expect(await states()).toEqual({ [keyId]: 'Revoked', [kept.keyId]: 'Active' });
    const entries = await readAudit(service, owner.tenantId);
    expect(entries.slice(-2)).toMatchObject([
      { action: 'key.revoked', subject: 'ERP', details: { keyId, environment: 'sandbox' } },
      { action: `member.${way}`, subject: leaver.email, details: { revokedKeys: [keyId], keptKeys: [] } },
    ]);
  });

  it.each(['removed', 'left'] as const)('can be %s with kept keys', async (way) => {
    const { keyId } = await makeKey(leaver);
    expect((await WAYS[way]('?keys=keep')).status).toBe(204);
    expect(await findRole(leaver)).toBeUndefined();
    expect(await states()).toEqual({ [keyId]: 'Active' });
    const entry = (await readAudit(service, owner.tenantId)).at(-1);
    expect(entry?.details).toMatchObject({ revokedKeys: [], keptKeys: [keyId] });
  });

  it('cannot revoke the keys as a viewer', async () => {
    const { keyId } = await makeKey(leaver);
    await owner.browser.call('PATCH', `${owner.path}/members/${leaver.userId}`, { role: 'viewer' });
    const refused = await WAYS.left('?keys=revoke');
    expect([refused.status, refused.body.code]).toEqual([403, 'role_too_low']);
    expect(await states()).toEqual({ [keyId]: 'Active' });
    expect((await WAYS.left('?keys=keep')).status).toBe(204);
  });

  it('cannot be removed with an invalid key option', async () => {
    await makeKey(leaver);
    const response = await WAYS.removed('?keys=burn');
    expect([response.status, response.body.details?.[0].pointer]).toEqual([400, '/keys']);
    expect(await findRole(leaver)).toBe('member');
  });

  it('cannot create a key during the removal', async () => {
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query('DELETE FROM membership WHERE tenant_id = $1 AND user_id = $2', [owner.tenantId, leaver.userId]);
    const made = leaver.browser.post<Problem>(`${owner.path}/keys`, { name: 'Late', environment: 'sandbox' });
    await service.blockedBy(holder);
    await holder.commitTransaction();
    await holder.release();
    const response = await made;
    expect([response.status, response.body.code]).toEqual([404, 'organisation_not_found']);
    expect(await states()).toEqual({});
  });
});

describe('user disable', () => {
  const command = (): UserCommand => new UserCommand(service);

  it('lists the keys and changes nothing without --keys', async () => {
    const { keyId } = await makeKey(leaver);
    const ended = await command().run(['disable', '--email', leaver.email]);
    expect(ended).toMatchObject({ exitCode: 1, out: '' });
    for (const text of [keyId, 'ERP', 'sandbox', '--keys revoke', '--keys keep']) expect(ended.error).toContain(text);
    expect((await leaver.browser.get(`${owner.path}/members`)).status).toBe(200);
    const wrong = await command().run(['disable', '--email', leaver.email, '--keys', 'burn']);
    expect(wrong.error).toContain('--keys must be keep or revoke');
  });

  it('revokes the keys, even if the user is already disabled', async () => {
    const { keyId } = await makeKey(leaver);
    await command().json(['disable', '--email', leaver.email, '--keys', 'keep']);
    expect(await states()).toEqual({ [keyId]: 'Active' });
    const ended = await command().json<{ keys: object[] }>(['disable', '--email', leaver.email, '--keys', 'revoke']);
    expect(ended).toMatchObject({ isChanged: false, keys: [{ keyId, tenantId: owner.tenantId, isRevoked: true }] });
    expect(await states()).toEqual({ [keyId]: 'Revoked' });
    expect((await readAudit(service, owner.tenantId)).at(-1)).toMatchObject({
      action: 'key.revoked',
      actor: COMMAND_ACTOR.email,
      subject: 'ERP',
    });
  });

  it('does not require --keys for a user without keys', async () => {
    await makeKey(owner);
    expect(await command().json(['disable', '--email', leaver.email])).toMatchObject({ isChanged: true, keys: [] });
  });

  it('waits for a concurrent key creation', async () => {
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query('UPDATE user_account SET disabled_at = service_now() WHERE id = $1', [leaver.userId]);
    const made = leaver.browser.post<Problem>(`${owner.path}/keys`, { name: 'Late', environment: 'sandbox' });
    await service.blockedBy(holder);
    await holder.commitTransaction();
    await holder.release();
    expect((await made).status).toBe(401);
    expect(await states()).toEqual({});
  });
});

import { describe, expect, it } from 'vitest';
import type { AuditPageDto } from '../../src/dashboard-api/audit/dto/audit.dto.js';
import { completeProfile, join, organisation, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();
const owner = await organisation(service);
await completeProfile(service, owner.tenantId);
const member = await join(service, owner.browser, owner.path, 'member');
for (const name of ['one', 'two', '=cmd()']) {
  await member.browser.post(`${owner.path}/keys`, { name, environment: 'sandbox' });
}

const ACTIONS = [
  'key.created',
  'key.created',
  'key.created',
  'invitation.accepted',
  'invitation.created',
  'organisation.created',
];

async function list(query: string): Promise<AuditPageDto> {
  const { status, body, text } = await owner.browser.get<AuditPageDto>(`${owner.path}/audit${query}`);
  expect(status, text).toBe(200);
  return body;
}

describe('audit log', () => {
  it('lists actions with actor and IP address, newest first', async () => {
    const { items, next } = await list('');
    expect(items.map(({ action }) => action)).toEqual(ACTIONS);
    expect(next).toBeNull();
    expect(items[0]).toEqual({
      entryId: expect.any(String),
      at: expect.any(String),
      userId: member.userId,
      actor: member.email,
      action: 'key.created',
      subject: '=cmd()',
      details: { keyId: expect.any(String), environment: 'sandbox', expiresAt: null },
      ip: '127.0.0.1',
    });
  });

  it('returns each entry exactly once across pages', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { items, next }: AuditPageDto = await list(`?limit=2&cursor=${cursor}`);
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ action }) => action));
      cursor = next;
    }
    expect(seen).toEqual(ACTIONS);
  });

  it.each([
    ['?action=key.', 3],
    ['?action=invitation.', 2],
    ['?action=nothing.', 0],
    ['?action=nothing.,key.,invitation.accepted', 4],
  ])('filters by action prefix: %s', async (query, count) => {
    expect((await list(query)).items).toHaveLength(count);
  });

  it('filters by actor and action together', async () => {
    const ofOwner = await list(`?actor=${encodeURIComponent(owner.email.toUpperCase())}`);
    expect(ofOwner.items.map(({ action }) => action)).toEqual(['invitation.created', 'organisation.created']);
    const both = await list(`?actor=${encodeURIComponent(member.email)}&action=key.&limit=2`);
    expect(both.items).toHaveLength(2);
    const rest = await list(`?actor=${encodeURIComponent(member.email)}&action=key.&limit=2&cursor=${both.next}`);
    expect([rest.items.length, rest.next]).toEqual([1, null]);
  });

  it('filters by an inclusive date range in Malaysian time', async () => {
    const { at } = (await list('?action=organisation.created')).items[0];
    const dayOf = (days: number): string =>
      new Date(Date.parse(at as unknown as string) + 8 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);
    for (const [from, to, count] of [
      [0, 1, ACTIONS.length],
      [-1, -1, 0],
      [2, 3, 0],
    ]) {
      expect((await list(`?from=${dayOf(from)}&to=${dayOf(to)}`)).items, `${from} to ${to}`).toHaveLength(count);
    }
    expect((await list(`?to=${dayOf(1)}&limit=2`)).items).toHaveLength(2);
  });

  it('exports the filtered entries to CSV with formulas escaped', async () => {
    const { text, headers } = await owner.browser.get(`${owner.path}/audit.csv?action=key.`);
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('\uFEFFAt (UTC+8),Who,Action,Subject,Details,Network address'.replace('\uFEFF', ''));
    expect(lines[1]).toContain(",key.created,'=cmd(),");
  });

  it.each([
    ['?action=KEY', 'action must be the beginning of an action in lower case, or several separated by commas'],
    ['?action=%00', 'action must be the beginning of an action in lower case, or several separated by commas'],
    ['?action=a&action=b', 'action must be the beginning of an action in lower case, or several separated by commas'],
    ['?actor=%00', 'actor must be the beginning of an e-mail address'],
    ['?action=key.,', 'action must be the beginning of an action in lower case, or several separated by commas'],
    ['?from=yesterday', 'from must be a day in Malaysia, written YYYY-MM-DD'],
    ['?limit=0', 'limit must be a whole number from 1 to 200'],
    ['?cursor=x', 'cursor is not a cursor of this list'],
  ])('rejects %s: %s', async (query, sentence) => {
    const response = await owner.browser.get<Problem>(`${owner.path}/audit${query}`);
    expect([response.status, response.body.errors]).toEqual([400, [sentence]]);
  });

  it('denies access to members who are not owners', async () => {
    for (const address of ['/audit', '/audit.csv']) {
      const response = await member.browser.get<Problem>(owner.path + address);
      expect([response.status, response.body.code]).toEqual([403, 'role_too_low']);
    }
  });
});

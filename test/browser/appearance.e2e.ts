import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Made, secretIn, UserCommand } from '../cli/user-command.js';
import { type DemoOrganisation, fillDemo } from './demo-organisation.js';
import { Site, type Visit } from './site.js';

let site: Site;
let demo: DemoOrganisation;
beforeAll(async () => {
  site = await Site.start({ environments: ['sandbox', 'production'] });
  demo = await fillDemo(site.service);
});
afterAll(() => site.stop());

/** Checks each page in both colour schemes, on a laptop and on a phone. */
async function checkAppearance(visit: Visit, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await visit.go(path);
    for (const isPhone of [false, true]) {
      for (const isDark of [false, true]) {
        await visit.setAppearance({ isPhone, isDark });
        await visit.expectUsable();
        await visit.expectFit();
      }
    }
  }
  await visit.close();
}

async function enter(email: string): Promise<Visit> {
  const visit = await site.open('/sign-in');
  await visit.signIn(email);
  return visit;
}

describe('pages fit the window in both colour schemes, on laptop and phone', () => {
  it('for a visitor', async () => {
    const words = ['create', '--role', 'operator', '--email', 'linked@service.example', '--name', 'Linda'];
    const { link } = await new UserCommand(site.service).json<Made>(words);
    const links = [`/password#${secretIn(link)}`, `/invitation#${demo.invitation}`, '/password#used'];
    await checkAppearance(await site.open(), ['/sign-in', '/sign-up', ...links]);
  });

  it('for an owner: documents, batches, overview and send form', async () => {
    const pages = ['overview', 'transactions', 'batches', 'send'].map((page) => `/sandbox/${page}`);
    const documents = Object.values(demo.documents).map((id) => `/sandbox/transactions/${id}`);
    const resubmit = `/sandbox/transactions/${demo.documents.invalid}/resubmit`;
    const paths = [...pages, ...documents, resubmit, '/production/overview', '/production/transactions'];
    await checkAppearance(
      await enter(demo.owner),
      paths.map((path) => `/o/${demo.tenantId}${path}`),
    );
  });

  it('for an owner: organisation and account', async () => {
    const pages = ['onboarding', 'profile', 'keys', 'credits', 'members', 'audit'];
    const paths = pages.map((page) => `/o/${demo.tenantId}/${page}`);
    await checkAppearance(await enter(demo.owner), [...paths, '/account', '/nowhere']);
  });

  it('for a new user', async () => {
    const { email, tenantId } = demo.newcomer;
    const steps = [1, 2, 3, 4, 5, 6].map((step) => `onboarding?step=${step}`);
    const pages = ['sandbox/overview', 'sandbox/transactions', 'sandbox/batches', 'sandbox/send', 'keys', 'credits'];
    await checkAppearance(
      await enter(email),
      [...steps, ...pages].map((page) => `/o/${tenantId}/${page}`),
    );
  });

  it('for an operator', async () => {
    const pages = [
      'organisations',
      'verifications',
      'verifications?status=all',
      'orders',
      'queue',
      'in-doubt',
      'authority',
      'audit',
    ];
    await checkAppearance(
      await enter(demo.operator),
      pages.map((page) => `/operator/${page}`),
    );
  });
});

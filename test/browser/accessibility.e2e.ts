import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Made, secretIn, UserCommand } from '../cli/user-command.js';
import { insertBulkJob } from '../support/bulk-jobs.js';
import { type DemoOrganisation, fillDemo, blockQueue } from './demo-organisation.js';
import { Site, type Visit } from './site.js';

let site: Site;
let demo: DemoOrganisation;
let passwordSecret: string;
let jobIds: readonly string[];
beforeAll(async () => {
  site = await Site.start({ environments: ['sandbox', 'production'] });
  demo = await fillDemo(site.service);
  const words = ['create', '--role', 'operator', '--email', 'linked@service.example', '--name', 'Linda'];
  passwordSecret = secretIn((await new UserCommand(site.service).json<Made>(words)).link);
  await blockQueue(site.service, demo.tenantId);
  jobIds = await addBulkJobs();
}, 400_000);
afterAll(() => site.stop());

const PROBLEM = {
  code: 'state_conflict',
  message: 'It cannot be done now',
  requestId: '0190a1b2-0000-7000-8000-000000000000',
  details: [
    {
      pointer: '/name',
      message: 'must have at most 100 characters',
      hint: 'shorten it',
    },
  ],
};
const CHANGES = /^(?:POST|PUT|PATCH|DELETE)$/;

/** What else axe-core looks at is the same in the dark. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Findings by the state in which they were seen. */
const findings = new Map<string, string[]>();

interface Person {
  readonly email: string | null;
  readonly tenantId: string;
  readonly transactionIds: readonly string[];
  /** Unless told otherwise; who may do less sees a part of the same ones. */
  readonly hasDialogs?: boolean;
}

const owner = (): Person => ({
  email: demo.owner,
  tenantId: demo.tenantId,
  transactionIds: Object.values(demo.documents),
});
const operator = (): Person => ({ ...owner(), email: demo.operator });
const member = (): Person => ({ ...owner(), email: demo.member, hasDialogs: false });
const viewer = (): Person => ({ ...member(), email: demo.viewer });
const stranger = (): Person => ({ ...owner(), email: null });

/** A job in each of its states, and one that waits. */
async function addBulkJobs(): Promise<string[]> {
  const { service } = site;
  const made = await Promise.all(JOB_STATES.map(() => insertBulkJob(service, demo.tenantId)));
  for (const [index, [status, pauseReason, itemState]] of JOB_STATES.entries()) {
    await service.owner.query(
      `UPDATE bulk_job SET status = $2, pause_reason = $3, due_at = service_now() + interval '1 day' WHERE id = $1`,
      [made[index], status, pauseReason],
    );
    await service.owner.query(
      `UPDATE bulk_job_item SET state = $2 WHERE job_id = $1
          AND transaction_id IN (SELECT transaction_id FROM bulk_job_item WHERE job_id = $1 LIMIT 20)`,
      [made[index], itemState],
    );
  }
  return made;
}

const JOB_STATES = [
  ['checking', null, 'waiting'],
  ['checked', null, 'ready'],
  ['running', null, 'ready'],
  ['paused', 'The credits do not suffice: order credits, then continue', 'ready'],
  ['ended', null, 'done'],
] as const;

/** The same page by other addresses. */
const variants = (): Readonly<Record<string, readonly string[]>> => ({
  '/password': [`#${passwordSecret}`, '#used'],
  '/invitation': [`#${demo.invitation}`, '#used'],
  '/o/$tenantId/onboarding': [1, 2, 3, 4, 5, 6].map((step) => `?step=${step}`),
  '/o/$tenantId/$environment/overview': ['?days=7'],
  '/o/$tenantId/$environment/send': [`?creditNoteOf=${demo.documents.valid}`],
  '/o/$tenantId/$environment/transactions': ['?status=Invalid', '?reference=NOTHING'],
  '/operator/verifications': ['?status=all'],
  '/operator/orders': ['?status=decided'],
  '/operator/audit': ['?actor=nobody'],
});

/** Every page that the router of the built dashboard knows; what only frames others is none. */
async function readRoutes(visit: Visit): Promise<string[]> {
  const paths = await visit.page.evaluate(() => {
    const { __TSR_ROUTER__ } = globalThis as unknown as {
      __TSR_ROUTER__: { routesByPath: Record<string, { children?: object }> };
    };
    const routes = Object.entries(__TSR_ROUTER__.routesByPath);
    return routes.filter(([, { children }]) => children === undefined).map(([path]) => path);
  });
  return paths.map((path) => (path === '/' ? path : path.replace(/\/$/, '')));
}

/** @throws Error for a parameter that the test has no value of */
function toAddresses(route: string, { tenantId, transactionIds }: Person): string[] {
  const values: Record<string, readonly string[]> = {
    tenantId: [tenantId],
    environment: ['sandbox'],
    transactionId: transactionIds,
    jobId: jobIds,
  };
  let addresses = [route];
  for (const [, name] of route.matchAll(/\$(\w+)/g)) {
    if (!(name in values)) throw new Error(`${route}: say what ${name} may be`);
    addresses = values[name].flatMap((value) => addresses.map((address) => address.replace(`$${name}`, value)));
  }
  return addresses.flatMap((address) => ['', ...(variants()[route] ?? [])].map((end) => address + end));
}

const isOfOrganisation = (route: string): boolean => route.startsWith('/o/') || ['/', '/account'].includes(route);
/** Without a session; a page that needs one would only lead a stranger to these. */
const isOpen = (route: string): boolean => ['/sign-in', '/sign-up', '/invitation', '/password'].includes(route);
const isOfOperator = (route: string): boolean => route.startsWith('/operator');

async function look(visit: Visit, state: string): Promise<void> {
  for (const isDark of [false, true]) {
    await visit.page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
    await visit.page.locator(`html[data-mantine-color-scheme="${isDark ? 'dark' : 'light'}"]`).waitFor();
    await visit.isStill();
    for (const finding of await visit.findViolations(isDark ? RULES_OF_COLOURS : [])) {
      findings.set(finding, [...(findings.get(finding) ?? []), `${state}${isDark ? ' (dark)' : ''}`]);
    }
  }
  await visit.page.emulateMedia({ colorScheme: 'light' });
}

/**
 * Opens each address, and there what every button and the first choices open, and what they say when it fails; each kind
 * of button once for all addresses of a page.
 */
async function walk({ hasDialogs = true, ...person }: Person, isTheirs: (route: string) => boolean): Promise<void> {
  const visit = await site.openAs(person.email);
  const routes = (await readRoutes(visit)).filter(isTheirs);
  await visit.page.route('**/api/dashboard/**', (route) =>
    CHANGES.test(route.request().method()) ? route.fulfill({ status: 409, json: PROBLEM }) : route.continue(),
  );
  const everywhere = new Set<string>();
  for (const route of routes) {
    const here = new Set(everywhere);
    for (const address of toAddresses(route, person)) {
      await visit.show(address);
      await look(visit, address);
      if (hasDialogs) await lookAtButtons(visit, address, { here, everywhere });
    }
  }
  await visit.close();
}

/** The kinds of openers that were tried. */
interface Tried {
  readonly here: Set<string>;
  /** Those that are alike wherever they are. */
  readonly everywhere: Set<string>;
}

const OPENERS = 'main button:visible, header [aria-haspopup="menu"]:visible, main [aria-haspopup="listbox"]:visible';
/** Of one page; one that has more kinds of buttons grows by each of them. */
const OPENERS_MAX = 30;

interface Opener {
  readonly kind: string;
  readonly position: number;
  /** Alike wherever it is: the account's menu, the pages of a list. */
  readonly isOnManyPages: boolean;
}

/** The first opener whose like was not tried yet. */
async function findOpener(visit: Visit, tried: ReadonlySet<string>): Promise<Opener | null> {
  const openers = await visit.page.locator(OPENERS).evaluateAll((elements) =>
    elements.map((element, position) => {
      const isChoice = element.getAttribute('aria-haspopup') === 'listbox';
      const name = element.textContent || (element.getAttribute('aria-label') ?? '');
      return {
        position,
        kind: element.matches(':disabled, [aria-disabled="true"]')
          ? ''
          : isChoice
            ? 'a choice'
            : name.replaceAll(/\d+/g, '').trim(),
        isOnManyPages: element.closest('header, nav') !== null,
      };
    }),
  );
  return openers.find(({ kind }) => kind !== '' && !tried.has(kind)) ?? null;
}

/** What each kind of button opens, and what it says when its deed fails. */
async function lookAtButtons(visit: Visit, address: string, { here, everywhere }: Tried): Promise<void> {
  for (let count = 0; count < OPENERS_MAX; count += 1) {
    const opener = await findOpener(visit, here);
    if (opener === null) return;
    here.add(opener.kind);
    if (opener.isOnManyPages) everywhere.add(opener.kind);
    await visit.page.locator(OPENERS).nth(opener.position).click();
    await visit.isStill();
    await look(visit, `${address}, ${opener.kind}`);
    const dialog = visit.page.getByRole('dialog');
    if ((await dialog.count()) > 0) {
      for (const box of await dialog.getByRole('checkbox').all()) await box.check();
      const deed = dialog.getByRole('button').last();
      if (await deed.isEnabled()) {
        await deed.click();
        await visit.isStill();
        await look(visit, `${address}, ${opener.kind}, and its deed`);
      }
    }
    await visit.page.keyboard.press('Escape');
    await visit.isStill();
    const isThere = visit.page.url().endsWith(address) && (await dialog.count()) === 0;
    if (isThere) continue;
    await visit.show(address);
  }
  throw new Error(`${address} has more than ${OPENERS_MAX} kinds of buttons`);
}

/** Each address while every read of it fails, and while none has come yet. */
async function walkFailing(person: Person, isTheirs: (route: string) => boolean): Promise<void> {
  const visit = await site.openAs(person.email);
  const addresses = (await readRoutes(visit)).filter(isTheirs).flatMap((route) => toAddresses(route, person));
  let isPending = false;
  await visit.page.route('**/api/dashboard/**', (route) => {
    if (route.request().url().endsWith('/session')) return route.continue();
    return isPending ? undefined : route.fulfill({ status: 409, json: PROBLEM });
  });
  for (const address of addresses) {
    for (isPending of [false, true]) {
      await visit.go(address);
      await visit.page.locator('h1, [aria-busy="true"], #starting').first().waitFor();
      // The shell of index.html, before there is any page.
      if ((await visit.page.locator('#starting').count()) > 0) continue;
      await look(visit, `${address}, ${isPending ? 'while it loads' : 'when it fails'}`);
    }
  }
  await visit.close();
}

const WALKS = [
  ['a stranger', stranger, isOpen],
  ['an owner', owner, isOfOrganisation],
  ['a member', member, isOfOrganisation],
  ['a viewer', viewer, isOfOrganisation],
  ['an operator', operator, isOfOperator],
] as const;

describe('axe finds nothing moderate, serious or critical, in both colour schemes', { timeout: 1_800_000 }, () => {
  it('where somebody walks: that is every page of the router', async () => {
    const visit = await site.openAs(null);
    const routes = await readRoutes(visit);
    await visit.close();
    expect(routes.length).toBeGreaterThan(25);
    for (const route of routes) {
      const walked = WALKS.flatMap(([, person, isTheirs]) => (isTheirs(route) ? toAddresses(route, person()) : []));
      expect(walked, route).not.toEqual([]);
    }
  });

  it.each(WALKS)('on every page of %s, with each dialog and what fails', async (_, person, isTheirs) => {
    findings.clear();
    await walk(person(), isTheirs);
    expect(Object.fromEntries(findings)).toEqual({});
  });

  it.each([
    ['an owner', owner, isOfOrganisation],
    ['an operator', operator, isOfOperator],
  ] as const)('on every page of %s that cannot be read, or not yet', async (_, person, isTheirs) => {
    findings.clear();
    await walkFailing(person(), isTheirs);
    expect(Object.fromEntries(findings)).toEqual({});
  });
});

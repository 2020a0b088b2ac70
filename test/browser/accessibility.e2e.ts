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

/** Other axe-core rules give the same results in the dark scheme. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

const findings = new Map<string, string[]>();

interface Person {
  readonly email: string | null;
  readonly tenantId: string;
  readonly transactionIds: readonly string[];
  /** Defaults to true. Users with fewer permissions see a subset of these dialogs. */
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

/** Adds one bulk job in each status and one that waits. */
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
  ['paused', 'Your organisation has too few credits: order credits, then continue', 'ready'],
  ['ended', null, 'done'],
] as const;

/** Additional URLs of the same pages. */
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

/** Returns the routes of the built dashboard except for layout routes. */
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

/** @throws Error for a parameter without a test value */
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
/** Public pages. Without a session, all other pages redirect to one of these. */
const isOpen = (route: string): boolean => ['/sign-in', '/sign-up', '/invitation', '/password'].includes(route);
const isOfOperator = (route: string): boolean => route.startsWith('/operator');

async function look(visit: Visit, state: string): Promise<void> {
  for (const isDark of [false, true]) {
    await visit.page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
    await visit.page.locator(`html[data-mantine-color-scheme="${isDark ? 'dark' : 'light'}"]`).waitFor();
    await visit.waitUntilStill();
    for (const finding of await visit.findViolations(isDark ? RULES_OF_COLOURS : [])) {
      findings.set(finding, [...(findings.get(finding) ?? []), `${state}${isDark ? ' (dark)' : ''}`]);
    }
  }
  await visit.page.emulateMedia({ colorScheme: 'light' });
}

/**
 * Opens each URL, presses each kind of button once per page, and checks what opens and how its action fails.
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

/** Kinds of buttons that have been pressed. */
interface Tried {
  readonly here: Set<string>;
  /** Buttons that appear on every page. */
  readonly everywhere: Set<string>;
}

const OPENERS = 'main button:visible, header [aria-haspopup="menu"]:visible, main [aria-haspopup="listbox"]:visible';
/** Maximum number of kinds of buttons on a page. */
const OPENERS_MAX = 30;

interface Opener {
  readonly kind: string;
  readonly position: number;
  /** Whether the button appears on every page, such as the account menu or the pager. */
  readonly isOnManyPages: boolean;
}

/** Finds the first button of a kind that has not been pressed. */
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

/** Checks what each button opens and how its action fails. */
async function lookAtButtons(visit: Visit, address: string, { here, everywhere }: Tried): Promise<void> {
  for (let count = 0; count < OPENERS_MAX; count += 1) {
    const opener = await findOpener(visit, here);
    if (opener === null) return;
    here.add(opener.kind);
    if (opener.isOnManyPages) everywhere.add(opener.kind);
    await visit.page.locator(OPENERS).nth(opener.position).click();
    await visit.waitUntilStill();
    await look(visit, `${address}, ${opener.kind}`);
    const dialog = visit.page.getByRole('dialog');
    if ((await dialog.count()) > 0) {
      for (const box of await dialog.getByRole('checkbox').all()) await box.check();
      const deed = dialog.getByRole('button').last();
      if (await deed.isEnabled()) {
        await deed.click();
        await visit.waitUntilStill();
        await look(visit, `${address}, ${opener.kind}, and its deed`);
      }
    }
    await visit.page.keyboard.press('Escape');
    await visit.waitUntilStill();
    const isThere = visit.page.url().endsWith(address) && (await dialog.count()) === 0;
    if (isThere) continue;
    await visit.show(address);
  }
  throw new Error(`${address} has more than ${OPENERS_MAX} kinds of buttons`);
}

/** Opens each URL twice: while all requests fail and while they are pending. */
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
      // The page has not been rendered yet.
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

describe('axe reports no moderate, serious or critical finding in either colour scheme', { timeout: 1_800_000 }, () => {
  it('on any page of the router', async () => {
    const visit = await site.openAs(null);
    const routes = await readRoutes(visit);
    await visit.close();
    expect(routes.length).toBeGreaterThan(25);
    for (const route of routes) {
      const walked = WALKS.flatMap(([, person, isTheirs]) => (isTheirs(route) ? toAddresses(route, person()) : []));
      expect(walked, route).not.toEqual([]);
    }
  });

  it.each(WALKS)('on the pages of %s with their dialogs and errors', async (_, person, isTheirs) => {
    findings.clear();
    await walk(person(), isTheirs);
    expect(Object.fromEntries(findings)).toEqual({});
  });

  it.each([
    ['an owner', owner, isOfOrganisation],
    ['an operator', operator, isOfOperator],
  ] as const)('on the pages of %s while they load or fail to load', async (_, person, isTheirs) => {
    findings.clear();
    await walkFailing(person(), isTheirs);
    expect(Object.fromEntries(findings)).toEqual({});
  });
});

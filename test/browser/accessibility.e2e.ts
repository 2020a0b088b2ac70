import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Made, secretIn, UserCommand } from '../cli/user-command.js';
import { type DemoOrganisation, fillDemo } from './demo-organisation.js';
import { Site, type Visit } from './site.js';

let site: Site;
let demo: DemoOrganisation;
let passwordSecret: string;
beforeAll(async () => {
  site = await Site.start({ environments: ['sandbox', 'production'] });
  demo = await fillDemo(site.service);
  const words = ['create', '--role', 'operator', '--email', 'linked@service.example', '--name', 'Linda'];
  passwordSecret = secretIn((await new UserCommand(site.service).json<Made>(words)).link);
  await addWork();
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
}

const owner = (): Person => ({
  email: demo.owner,
  tenantId: demo.tenantId,
  transactionIds: Object.values(demo.documents),
});
const operator = (): Person => ({ ...owner(), email: demo.operator });
/** Documents that can be credited and corrected, and the form for both. */
const sender = (): Person => ({ ...owner(), transactionIds: [demo.documents.valid, demo.documents.invalid] });
const stranger = (): Person => ({ ...owner(), email: null });

/** The same page by other addresses. */
const variants = (): Readonly<Record<string, readonly string[]>> => ({
  '/password': [`#${passwordSecret}`, '#used'],
  '/invitation': [`#${demo.invitation}`, '#used'],
  '/o/$tenantId/onboarding': [1, 2, 3, 4, 5, 6].map((step) => `?step=${step}`),
  '/o/$tenantId/$environment/overview': ['?days=7'],
  '/o/$tenantId/$environment/send': [`?creditNoteOf=${demo.documents.valid}`],
  '/o/$tenantId/$environment/transactions': ['?status=Invalid', '?referenceId=NOTHING'],
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
  };
  let addresses = [route];
  for (const [, name] of route.matchAll(/\$(\w+)/g)) {
    if (!(name in values)) throw new Error(`${route}: say what ${name} may be`);
    addresses = values[name].flatMap((value) => addresses.map((address) => address.replace(`$${name}`, value)));
  }
  return addresses.flatMap((address) => ['', ...(variants()[route] ?? [])].map((end) => address + end));
}

const isOfOrganisation = (route: string): boolean => route.startsWith('/o/') || ['/', '/account'].includes(route);
const isOfSender = (route: string): boolean => /\/(?:send|\$transactionId(?:\/resubmit)?)$/.test(route);
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

/** Opens each address, and there what every button and the first choices open, and what they say when it fails. */
async function walk(person: Person, isTheirs: (route: string) => boolean): Promise<void> {
  const visit = await site.open('/sign-in');
  if (person.email !== null) await visit.signIn(person.email);
  const addresses = (await readRoutes(visit)).filter(isTheirs).flatMap((route) => toAddresses(route, person));
  await visit.page.route('**/api/dashboard/**', (route) =>
    CHANGES.test(route.request().method()) ? route.fulfill({ status: 409, json: PROBLEM }) : route.continue(),
  );
  const tried = new Set<string>();
  for (const address of addresses) {
    await visit.go(address);
    await visit.settled();
    await look(visit, address);
    await lookAtButtons(visit, address, tried);
  }
  await visit.close();
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
        kind: element.matches(':disabled') ? '' : isChoice ? 'a choice' : name.replaceAll(/\d+/g, '').trim(),
        isOnManyPages: element.closest('header, nav') !== null,
      };
    }),
  );
  return openers.find(({ kind }) => kind !== '' && !tried.has(kind)) ?? null;
}

/** What each kind of button opens, and what it says when its deed fails. */
async function lookAtButtons(visit: Visit, address: string, triedBefore: Set<string>): Promise<void> {
  const tried = new Set(triedBefore);
  for (let count = 0; count < OPENERS_MAX; count += 1) {
    const opener = await findOpener(visit, tried);
    if (opener === null) return;
    tried.add(opener.kind);
    if (opener.isOnManyPages) triedBefore.add(opener.kind);
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
    await visit.go(address);
    await visit.settled();
  }
  throw new Error(`${address} has more than ${OPENERS_MAX} kinds of buttons`);
}

/** Each address while every read of it fails, and while none has come yet. */
async function walkFailing(person: Person, isTheirs: (route: string) => boolean): Promise<void> {
  const visit = await site.open('/sign-in');
  if (person.email !== null) await visit.signIn(person.email);
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

/** A queue that is held up, and an event that was given up: their dialogs. */
async function addWork(): Promise<void> {
  const { owner: database } = site.service;
  await database.query(
    `UPDATE dispatch_lane SET blocked_until = service_now() + interval '1 day', blocked_since = service_now(),
            blocked_reason = 'not_appointed' WHERE tenant_id = $1 AND environment = 'sandbox'`,
    [demo.tenantId],
  );
  await database.query(`INSERT INTO event_consumer VALUES ('accounting-export', service_now())`);
  await database.query(
    `INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, attempts, dead_at, due_at, error)
     SELECT tenant_id, 'accounting-export', document_id, 1, id, version, created_at, 20, service_now(), 'infinity', 'no such account'
       FROM document_transaction WHERE tenant_id = $1 LIMIT 1`,
    [demo.tenantId],
  );
}

describe('axe finds nothing moderate, serious or critical, in both colour schemes', { timeout: 1_800_000 }, () => {
  it.each([
    ['a stranger', stranger, (route: string) => !isOfOrganisation(route) && !isOfOperator(route)],
    ['an operator', operator, isOfOperator],
    ['somebody who sends and corrects documents', sender, isOfSender],
  ] as const)('on every page of %s, with each dialog and what fails', async (_, person, isTheirs) => {
    findings.clear();
    await walk(person(), isTheirs);
    expect(Object.fromEntries(findings)).toEqual({});
  });

  it.each([['an operator', operator, isOfOperator]] as const)(
    'on every page of %s that cannot be read, or not yet',
    async (_, person, isTheirs) => {
      findings.clear();
      await walkFailing(person(), isTheirs);
      expect(Object.fromEntries(findings)).toEqual({});
    },
  );
});

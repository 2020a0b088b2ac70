import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Locator, type Page, type Request } from 'playwright-core';
import { expect, inject } from 'vitest';
import { PASSWORD } from '../support/dashboard.js';
import { type ServiceOptions, TestService } from '../support/service.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// A page that has not come by then has not come; nothing is measured by it.
const WAIT_MS_MAX = 20_000;

// How far the rightmost part stands beyond the window, in pixels.
const RIGHTMOST = `Math.ceil(Math.max(
  document.documentElement.scrollWidth,
  ...[...document.querySelectorAll('header *')].map((part) => part.getBoundingClientRect().right),
)) - window.innerWidth`;

// Nothing loads, and no transition is under way: a colour in between would be judged for its contrast.
const IS_STILL = `document.getAnimations().every(({ effect }) => effect.getTiming().iterations === Infinity)`;
const AT_REST = `document.querySelector('.mantine-Skeleton-root') === null && ${IS_STILL}`;

// A response may lead to the page's next call: what is at rest is so again after the page could run what it had to.
const POLLS_AT_REST = 3;
const POLL_MS = 40;

const LAPTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** What people call a machine of their network: plain HTTP there is no secure context, as it is on localhost. */
const PLAIN_HOST = 'office.example';

interface Appearance {
  readonly isPhone?: boolean;
  readonly isDark?: boolean;
  /** By a name that is not this machine's own. */
  readonly isRemote?: boolean;
}

/** The whole service and a browser in front of its dashboard. */
export class Site {
  private constructor(
    readonly service: TestService,
    private readonly browser: Browser,
  ) {}

  static async start(options: ServiceOptions = {}): Promise<Site> {
    const service = await TestService.start(options);
    const browser = await chromium.launch({
      executablePath: inject('chromium'),
      args: ['--no-sandbox', `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`],
    });
    return new Site(service, browser);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
  }

  /** The dashboard in its own browser: nobody is signed in. What goes wrong in the page fails the test. */
  async open(path = '/', options: Appearance = {}): Promise<Visit> {
    const context = await this.browser.newContext({
      viewport: options.isPhone === true ? PHONE : LAPTOP,
      colorScheme: options.isDark === true ? 'dark' : 'light',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(WAIT_MS_MAX);
    const base = options.isRemote === true ? this.toAddress('').replace('127.0.0.1', PLAIN_HOST) : this.toAddress('');
    const visit = new Visit(context, await context.newPage(), base);
    await visit.go(path);
    return visit;
  }

  /** The dashboard of a person; nobody is signed in without one. */
  async openAs(email: string | null, options: Appearance = {}): Promise<Visit> {
    const visit = await this.open('/sign-in', options);
    if (email !== null) await visit.signIn(email);
    return visit;
  }

  /** What follows `/dashboard`, as a whole address. */
  toAddress(path: string): string {
    return `${this.service.url.replace(/\/api$/, '')}/dashboard${path}`;
  }
}

/** A person in front of a page. */
export class Visit {
  readonly complaints: string[] = [];
  private readonly underWay = new Set<Request>();

  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly base: string,
  ) {
    page.on('request', (request) => this.underWay.add(request));
    page.on('requestfinished', (request) => this.underWay.delete(request));
    page.on('requestfailed', (request) => this.underWay.delete(request));
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      // The browser reports every refusal, and those are what some tests are about.
      const isRefusal = /status of (?:400|401|402|403|404|409|429)/.test(message.text());
      // What a browser says of a header of helmet that it keeps for HTTPS.
      const isForHttps = message.text().startsWith('The Cross-Origin-Opener-Policy header has been ignored');
      if (message.type() === 'error' && !isRefusal && !isForHttps) this.complaints.push(message.text());
    });
  }

  /** @returns how often the page has asked the service since then to take a document, or to check one */
  countSends(): () => number {
    let count = 0;
    this.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/submissions')) count += 1;
    });
    return () => count;
  }

  /** The same browser's next tab. */
  async another(path: string): Promise<Visit> {
    const visit = new Visit(this.context, await this.context.newPage(), this.base);
    await visit.go(path);
    return visit;
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.base}${path}`);
  }

  /** Opens a page, and waits for all that it asks for. */
  async show(path: string): Promise<void> {
    await this.go(path);
    await this.settled();
  }

  /** What follows `/dashboard` in the address bar, without what is searched for. */
  get path(): string {
    return new URL(this.page.url()).pathname.replace(/^\/dashboard/, '');
  }

  /** From the sign-in page to the page that one comes from, or to the first one. */
  async signIn(email: string): Promise<void> {
    await this.fill('E-mail address', email);
    await this.fill('Password', PASSWORD);
    await this.press('Sign in');
    // On a phone the menu is closed.
    await this.page.getByRole('navigation', { name: 'Menu', includeHidden: true }).waitFor({ state: 'attached' });
  }

  /** Until the page and all that it asked for is there: a heading, no part that still loads, no colour on its way. */
  async settled(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    let pollsAtRest = 0;
    const isThere = async (): Promise<boolean> => {
      const isAtRest = (await this.page.evaluate<boolean>(AT_REST)) && this.underWay.size === 0;
      pollsAtRest = isAtRest ? pollsAtRest + 1 : 0;
      return pollsAtRest === POLLS_AT_REST;
    };
    await expect.poll(isThere, { timeout: WAIT_MS_MAX, interval: POLL_MS }).toBe(true);
  }

  /** Until no colour is on its way, while parts may still load. */
  async isStill(): Promise<void> {
    await expect.poll(() => this.page.evaluate<boolean>(IS_STILL), { timeout: WAIT_MS_MAX }).toBe(true);
  }

  /** The page as it is now, in another window and other colours. */
  async setAppearance({ isPhone, isDark }: Appearance): Promise<void> {
    await this.page.setViewportSize(isPhone === true ? PHONE : LAPTOP);
    const colorScheme = isDark === true ? 'dark' : 'light';
    await this.page.emulateMedia({ colorScheme });
    // The page hears of it, and only then do its colours begin to change.
    await this.page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await this.settled();
  }

  /** Nothing stands beyond the page's right edge: it scrolls downwards only, and its header does not at all. */
  async fits(): Promise<void> {
    const beyond = await this.page.evaluate<number>(RIGHTMOST);
    expect(beyond, `${this.path} is too wide by`).toBeLessThanOrEqual(0);
  }

  async fill(label: string, text: string): Promise<void> {
    await this.field(label).fill(text);
  }

  /** A field by its label; that of a required one ends with an asterisk. */
  field(label: string): Locator {
    // What failed is an alert by the name of its field.
    return this.page.getByLabel(new RegExp(`^${label}(?: \\*)?$`)).and(this.page.locator(':not([role="alert"])'));
  }

  /** Types into a field that offers choices, and takes the first that fits. */
  async choose(label: string, text: string): Promise<void> {
    await this.field(label).first().click();
    if (await this.field(label).first().isEditable()) await this.field(label).first().fill(text);
    await this.page
      .getByRole('option', { name: new RegExp(text, 'i') })
      .first()
      .click();
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Until the text is to be seen. */
  async waitForText(text: string | RegExp): Promise<void> {
    // Choices that are not open have their texts in the page too.
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  /** Nothing that axe-core calls moderate, serious or critical, nothing refused by the content security policy, no error. */
  async isUsable(): Promise<void> {
    expect(await this.findViolations(), this.path).toEqual([]);
    expect(this.complaints, this.path).toEqual([]);
  }

  /** What axe-core calls moderate, serious or critical; by all its rules, or some of them. */
  async findViolations(rules: readonly string[] = []): Promise<string[]> {
    if (!(await this.page.evaluate<boolean>(`'axe' in globalThis`))) await this.page.evaluate(AXE);
    return this.page.evaluate(async (only) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
      const { violations } = await axe.run({ resultTypes: ['violations'], ...(only.length > 0 && { runOnly: only }) });
      return violations
        .filter(({ impact }) => impact !== 'minor')
        .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }, rules);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Locator, type Page, type Request } from 'playwright-core';
import { expect, inject } from 'vitest';
import { PASSWORD } from '../support/dashboard.js';
import { type ServiceOptions, TestService } from '../support/service.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// Timeout for the page. The test does not measure time.
const WAIT_MS_MAX = 20_000;

// Number of pixels by which the content extends beyond the window.
const RIGHTMOST = `Math.ceil(Math.max(
  document.documentElement.scrollWidth,
  ...[...document.querySelectorAll('header *')].map((part) => part.getBoundingClientRect().right),
)) - window.innerWidth`;

// Waits for running transitions, because an intermediate colour could fail the contrast check.
const IS_STILL = `document.getAnimations().every(({ effect }) => effect.getTiming().iterations === Infinity)`;
const AT_REST = `document.querySelector('.mantine-Skeleton-root') === null && ${IS_STILL}`;

const POLLS_AT_REST = 3;
const POLL_MS = 40;

const LAPTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Host name without a secure context: browsers treat plain HTTP as secure only on localhost. */
const PLAIN_HOST = 'office.example';

interface Appearance {
  readonly isPhone?: boolean;
  readonly isDark?: boolean;
  /** Opens the site through PLAIN_HOST instead of 127.0.0.1. */
  readonly isRemote?: boolean;
}

/** Service with a browser for its dashboard. */
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

  /**
   * Opens the dashboard in a new browser context without a session. Collects page errors in `complaints`.
   */
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

  /** Signs in as the user, or opens the dashboard without a session if `email` is null. */
  async openAs(email: string | null, options: Appearance = {}): Promise<Visit> {
    const visit = await this.open('/sign-in', options);
    if (email !== null) await visit.signIn(email);
    return visit;
  }

  /** Returns the URL of a path under `/dashboard`. */
  toAddress(path: string): string {
    return `${this.service.url.replace(/\/api$/, '')}/dashboard${path}`;
  }
}

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
      // Browsers log error statuses, which some tests cause on purpose.
      const isRefusal = /status of (?:400|401|402|403|404|409|429)/.test(message.text());
      // Browsers ignore this header on plain HTTP.
      const isForHttps = message.text().startsWith('The Cross-Origin-Opener-Policy header has been ignored');
      if (message.type() === 'error' && !isRefusal && !isForHttps) this.complaints.push(message.text());
    });
  }

  /** @returns a function that returns the number of submits and dry runs since this call */
  countSends(): () => number {
    let count = 0;
    this.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/submissions')) count += 1;
    });
    return () => count;
  }

  /** Opens another tab in the same browser. */
  async openTab(path: string): Promise<Visit> {
    const visit = new Visit(this.context, await this.context.newPage(), this.base);
    await visit.go(path);
    return visit;
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.base}${path}`);
  }

  /** Opens a page and waits until its requests have finished. */
  async show(path: string): Promise<void> {
    await this.go(path);
    await this.waitUntilSettled();
  }

  /** Returns the path under `/dashboard` without the query string. */
  get path(): string {
    return new URL(this.page.url()).pathname.replace(/^\/dashboard/, '');
  }

  /** Signs in and waits for the page that requires the session. */
  async signIn(email: string): Promise<void> {
    await this.fill('E-mail address', email);
    await this.fill('Password', PASSWORD);
    await this.press('Sign in');
    // The menu is collapsed on a phone.
    await this.page.getByRole('navigation', { name: 'Menu', includeHidden: true }).waitFor({ state: 'attached' });
  }

  /** Waits until the page has loaded: it has a heading, no placeholders and no running transitions. */
  async waitUntilSettled(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    let pollsAtRest = 0;
    const isThere = async (): Promise<boolean> => {
      const isAtRest = (await this.page.evaluate<boolean>(AT_REST)) && this.underWay.size === 0;
      pollsAtRest = isAtRest ? pollsAtRest + 1 : 0;
      return pollsAtRest === POLLS_AT_REST;
    };
    await expect.poll(isThere, { timeout: WAIT_MS_MAX, interval: POLL_MS }).toBe(true);
  }

  /** Waits until no transition is running, even if parts are still loading. */
  async waitUntilStill(): Promise<void> {
    await expect.poll(() => this.page.evaluate<boolean>(IS_STILL), { timeout: WAIT_MS_MAX }).toBe(true);
  }

  /** Changes the window size and colour scheme of the open page. */
  async setAppearance({ isPhone, isDark }: Appearance): Promise<void> {
    await this.page.setViewportSize(isPhone === true ? PHONE : LAPTOP);
    const colorScheme = isDark === true ? 'dark' : 'light';
    await this.page.emulateMedia({ colorScheme });
    // The colours change only after the page handles the media query.
    await this.page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await this.waitUntilSettled();
  }

  /** Asserts that the page and its header do not scroll horizontally. */
  async expectFit(): Promise<void> {
    const beyond = await this.page.evaluate<number>(RIGHTMOST);
    expect(beyond, `${this.path} is too wide by`).toBeLessThanOrEqual(0);
  }

  async fill(label: string, text: string): Promise<void> {
    await this.field(label).fill(text);
  }

  /** Locates a field by its label. The label of a required field ends with an asterisk. */
  field(label: string): Locator {
    // An alert also has the name of its field as its label.
    return this.page.getByLabel(new RegExp(`^${label}(?: \\*)?$`)).and(this.page.locator(':not([role="alert"])'));
  }

  /** Types into a field with options and selects the first match. */
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

  /** Waits until the text is visible. */
  async waitForText(text: string | RegExp): Promise<void> {
    // Closed lists also contain their text in the document.
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  /** Asserts that axe-core reports no moderate, serious or critical finding and that the console shows no error. */
  async expectUsable(): Promise<void> {
    expect(await this.findViolations(), this.path).toEqual([]);
    expect(this.complaints, this.path).toEqual([]);
  }

  /** Returns the moderate, serious and critical findings of axe-core for all or some rules. */
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

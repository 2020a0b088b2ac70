import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
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
const AT_REST = `document.querySelector('.mantine-Skeleton-root') === null
  && document.getAnimations().every(({ effect }) => effect.getTiming().iterations === Infinity)`;

const LAPTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

interface Appearance {
  readonly isPhone?: boolean;
  readonly isDark?: boolean;
}

/** The whole service and a browser in front of its dashboard. */
export class Site {
  private constructor(
    readonly service: TestService,
    private readonly browser: Browser,
  ) {}

  static async start(options: ServiceOptions = {}): Promise<Site> {
    const service = await TestService.start(options);
    const browser = await chromium.launch({ executablePath: inject('chromium'), args: ['--no-sandbox'] });
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
    const visit = new Visit(context, await context.newPage(), this.toAddress(''));
    await visit.go(path);
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

  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly base: string,
  ) {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      // The browser reports every refusal, and those are what some tests are about.
      const isRefusal = /status of (?:400|401|402|403|404|409|429)/.test(message.text());
      if (message.type() === 'error' && !isRefusal) this.complaints.push(message.text());
    });
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.base}${path}`);
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
    await this.page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' });
  }

  /** Until the page and all that it asked for is there: a heading, no part that still loads, no colour on its way. */
  async settled(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.page.waitForLoadState('networkidle');
    await expect.poll(() => this.page.evaluate<boolean>(AT_REST), { timeout: WAIT_MS_MAX }).toBe(true);
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
    return this.page.getByLabel(new RegExp(`^${label}(?: \\*)?$`));
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
    await this.page.getByText(text).first().waitFor();
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  /** Nothing that axe-core calls serious or critical, nothing refused by the content security policy, no error. */
  async isUsable(): Promise<void> {
    await this.page.evaluate(AXE);
    const findings = await this.page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      const { violations } = await axe.run();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    expect(findings, this.path).toEqual([]);
    expect(this.complaints, this.path).toEqual([]);
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

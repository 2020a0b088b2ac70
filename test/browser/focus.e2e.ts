import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertBulkJob } from '../support/bulk-jobs.js';
import { accept, issue } from '../support/client.js';
import { PAGE_ROWS } from '../../src/dashboard-api/cursor.js';
import { PASSWORD, signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

/** Opens a page of an organisation with at least one queued document. */
async function open(
  path: string,
  { count = 1, isPhone = false } = {},
): Promise<{ visit: Visit; documentNumber: string }> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const documentNumber = 'INV-1';
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  const numbers = Array.from({ length: count }, (_, index) => `INV-${index + 1}`);
  await accept(
    service,
    tenant,
    numbers.map((referenceId) => invoice({ referenceId })),
  );
  const visit = await site.open(`/o/${tenantId}${path}`, { isPhone });
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return { visit, documentNumber };
}

const FOCUSED = `(() => {
  const { activeElement } = document;
  const { top, bottom } = activeElement.getBoundingClientRect();
  const label = activeElement.labels?.[0]?.innerText ?? activeElement.getAttribute('aria-label') ?? activeElement.innerText;
  const described = document.getElementById(activeElement.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '');
  return { label, role: activeElement.getAttribute('role'), described: described?.innerText ?? null,
           isInWindow: top >= 56 && bottom <= innerHeight };
})()`;

interface Focused {
  label: string;
  role: string | null;
  described: string | null;
  isInWindow: boolean;
}

function readFocused(visit: Visit): Promise<Focused> {
  return visit.page.evaluate<Focused>(FOCUSED);
}

describe('focus after an error', () => {
  it('moves to the first invalid field of a long form', async () => {
    const { visit } = await open('/sandbox/send');
    await visit.fill('Description', 'Chair');
    await visit.page.getByRole('form', { name: 'Fill in the document' }).getByRole('button', { name: /^Send/ }).click();
    await visit.waitForText('Correct the marked fields');
    await expect
      .poll(() => readFocused(visit))
      .toMatchObject({ isInWindow: true, described: expect.stringMatching(/\w/) });
    const { label } = await readFocused(visit);
    const [first] = await visit.page
      .locator('[aria-invalid="true"]')
      .evaluateAll((inputs) =>
        inputs.map((input) => (input as unknown as { labels: { innerText: string }[] }).labels[0].innerText),
      );
    expect(label).toBe(first);
    await visit.expectUsable();
    await visit.close();
  });

  it('moves to the alert of a failed request', async () => {
    const visit = await site.open('/sign-in');
    await visit.fill('E-mail address', 'nobody@kedai.example');
    await visit.fill('Password', PASSWORD);
    await visit.press('Sign in');
    await visit.page.getByRole('alert').waitFor();
    await expect
      .poll(() => readFocused(visit))
      .toMatchObject({ role: 'alert', isInWindow: true, label: expect.stringContaining('is wrong') });
    await visit.close();
  });
});

/** Waits until a visible element with this text or label has the focus. */
async function expectFocus(visit: Visit, label: RegExp): Promise<void> {
  await expect.poll(async () => (await readFocused(visit)).label).toMatch(label);
  expect(await readFocused(visit)).toMatchObject({ isInWindow: true });
}

describe('focus after an action', () => {
  it('moves to the saved profile and to the result of the appointment check', async () => {
    const { visit } = await open('/profile');
    const save = visit.page.getByRole('button', { name: 'Save', exact: true }).first();
    for (const name of ['Kedai Satu Sdn Bhd', 'Kedai Dua Sdn Bhd']) {
      await visit.field('Registered name').fill(name);
      await save.press('Enter');
      await expectFocus(visit, /^Saved\. The change applies/);
    }
    await visit.page.getByRole('button', { name: 'Check the appointment' }).press('Enter');
    await expectFocus(visit, /^Appointed/);
    await visit.expectUsable();
    await visit.close();
  });

  it('stays in a form that is locked while saving', async () => {
    const { visit } = await open('/profile');
    const name = visit.field('Registered name');
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await visit.page.route('**/api/dashboard/**/profile', async (route) => {
      await released;
      await route.continue();
    });
    await name.fill('Kedai Satu Sdn Bhd');
    await name.press('Enter');
    await expect.poll(() => name.isDisabled()).toBe(true);
    await expectFocus(visit, /^Save$/);
    await visit.expectUsable();
    release();
    await expectFocus(visit, /^Saved\. The change applies/);
    expect(await name.isEnabled()).toBe(true);
    expect(await name.inputValue()).toBe('Kedai Satu Sdn Bhd');
    await visit.close();
  });

  it('stays on the page when the pressed button is disabled', async () => {
    const { service } = site;
    const { browser, email } = await signUp(service);
    const visit = await site.openAs(email);
    await browser.enter('/sign-in', { email, password: PASSWORD });
    await visit.show('/account');
    await visit.page.getByRole('button', { name: 'Sign out all others' }).press('Enter');
    await visit.page.locator('button:disabled', { hasText: 'Sign out all others' }).waitFor();
    await expectFocus(visit, /^Your account$/);
    await visit.close();
  });

  it('moves to the result of opening, checking or sending', async () => {
    const { visit, documentNumber } = await open('/sandbox/transactions');
    await site.service.settle();
    await visit.page.getByRole('link', { name: documentNumber }).press('Enter');
    await expectFocus(visit, /^(?:Document|Invoice INV-1)$/);
    await visit.page.getByRole('link', { name: 'Credit note' }).press('Enter');
    await expectFocus(visit, /^Send a credit note$/);
    await visit.page.getByRole('button', { name: 'Check TIN and id' }).press('Enter');
    await expectFocus(visit, /^The authority/);
    await visit.fill('Credit note number', 'CN-1');
    await visit.page.getByRole('button', { name: /^Send/ }).press('Enter');
    await expectFocus(visit, /^Sent$/);
    await visit.page.getByRole('link', { name: 'Open the document' }).press('Enter');
    await expectFocus(visit, /^(?:Document|Credit note CN-1)$/);
    await visit.page.goBack();
    await visit.page.getByRole('button', { name: 'Send another one' }).press('Enter');
    await expectFocus(visit, /^Send an invoice$/);
    await visit.expectUsable();
    await visit.close();
  });
});

describe('focus after a click', () => {
  /** Checks the focus after the page has loaded, so that no later change moves it. */
  async function expectLastingFocus(visit: Visit, label: RegExp): Promise<void> {
    await visit.waitUntilSettled();
    await expect.poll(async () => (await readFocused(visit)).label).toMatch(label);
  }

  it('stays in a list or moves to its heading', async () => {
    const { visit } = await open('/sandbox/transactions', { count: PAGE_ROWS + 1 });
    const { page } = visit;
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).press('Enter');
    await press('Refresh');
    await expectLastingFocus(visit, /^Refresh$/);
    await press('Next');
    await page.waitForURL(/cursor|pages/);
    await expectLastingFocus(visit, /^Next$/);
    await press('Previous');
    await expectLastingFocus(visit, /^Previous$/);
    for (const typed of ['INV-1', 'nobody has this']) {
      await visit.fill('Search', typed);
      await visit.field('Search').press('Enter');
      await page.waitForURL((url) => url.searchParams.get('q') === typed);
      await expectLastingFocus(visit, /^Search$/);
    }
    await press('Clear filters');
    await page.waitForURL((url) => !url.searchParams.has('q'));
    await expectLastingFocus(visit, /^Documents$/);
    expect(await visit.field('Search').inputValue()).toBe('');
    await visit.expectUsable();
    await visit.close();
  });

  it('stays on the button while a form is sent, and ignores a second click', async () => {
    const { visit } = await open('/profile');
    await visit.go('/account');
    let calls = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await visit.page.route('**/dashboard/account', async (route) => {
      calls += 1;
      await held;
      await route.continue();
    });
    await visit.field('Your name').fill('Aisyah Rahman');
    const save = visit.page.getByRole('button', { name: 'Save name' });
    await save.press('Enter');
    await visit.page.locator('button[aria-busy="true"]').waitFor();
    await visit.page.keyboard.press('Enter');
    await visit.field('Your name').press('Enter');
    await save.focus();
    release();
    await visit.waitForText('Your name has been changed');
    await expectLastingFocus(visit, /^Save name$/);
    expect(calls).toBe(1);
    await visit.expectUsable();
    await visit.close();
  });
});

describe('collapsed menu on a phone', () => {
  it('is reachable by keyboard only while it is open', async () => {
    const { visit } = await open('/sandbox/overview', { isPhone: true });
    const { page } = visit;
    const menu = page.locator('#menu');
    const isInMenu = `document.activeElement.closest('#menu') !== null`;
    await page.reload();
    await visit.waitUntilSettled();
    for (let stop = 0; stop < 12; stop += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate<boolean>(isInMenu)).toBe(false);
    }
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await menu.getByRole('link', { name: 'Documents' }).press('Enter');
    await visit.heading('Documents');
    await expectFocus(visit, /^Documents$/);
    await menu.waitFor({ state: 'hidden' });
    await visit.close();
  });
});

describe('dialog', () => {
  it('returns the focus to the element that opened it', async () => {
    const { visit } = await open('/keys');
    const create = visit.page.getByRole('button', { name: 'Create key' }).first();
    const dialog = visit.page.getByRole('dialog');
    await create.press('Enter');
    await dialog.waitFor();
    await visit.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => create.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    await create.press('Enter');
    await visit.fill('Name', 'ERP');
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
    await visit.page.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => create.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    await visit.expectUsable();
    await visit.close();
  });

  it('returns the focus to the heading if the opening element is gone', async () => {
    const { visit } = await open('/keys');
    await visit.page.getByRole('button', { name: /^Revoke test/ }).press('Enter');
    await visit.page.getByRole('button', { name: 'Revoke key' }).press('Enter');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(async () => (await readFocused(visit)).label).toBe('API keys');
    await visit.close();
  });
});

describe('document', () => {
  it('announces its new status to a screen reader', async () => {
    const { visit, documentNumber } = await open('/sandbox/transactions');
    await visit.page.getByRole('link', { name: documentNumber }).click();
    const status = visit.page.getByRole('status').filter({ hasText: documentNumber });
    await expect.poll(() => status.innerText()).toBe(`${documentNumber}: Queued`);
    await site.service.settle();
    await expect.poll(() => status.innerText()).toBe(`${documentNumber}: Valid`);
    await visit.close();
  });

  it('has a clickable row with selectable text', async () => {
    const { visit, documentNumber } = await open('/sandbox/transactions');
    const list = visit.path;
    const cell = visit.page
      .getByRole('row')
      .filter({ hasText: documentNumber })
      .getByText(/^[CI]G?\d{6,}/);
    const box = await cell.boundingBox();
    if (box === null) throw new Error('The TIN is not shown');
    const middle = box.y + box.height / 2;
    await visit.page.mouse.move(box.x + 1, middle);
    await visit.page.mouse.down();
    await visit.page.mouse.move(box.x + 60, middle, { steps: 5 });
    await visit.page.mouse.up();
    expect(await visit.page.evaluate<string>('String(getSelection())')).toMatch(/^\w{4,}/);
    expect(visit.path).toBe(list);
    await visit.page.getByRole('row').filter({ hasText: documentNumber }).getByText('Invoice', { exact: true }).click();
    await visit.heading(new RegExp(documentNumber));
    await visit.close();
  });
});

// Whether the focused element, or the element that represents it, has a visible outline.
const SHOWS_FOCUS = `(() => {
  const { activeElement } = document;
  if (activeElement === document.body) return null;
  const hasOutline = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
  };
  const marks = [activeElement, ...(activeElement.labels ?? []), activeElement.nextElementSibling,
    activeElement.closest('.mantine-Input-input')];
  return marks.some((mark) => mark instanceof Element && hasOutline(mark)) ? null : activeElement.outerHTML.slice(0, 200);
})()`;

describe('focus outline', () => {
  it('is visible on a password field', async () => {
    const visit = await site.open('/sign-in', { isDark: true });
    await visit.field('Password').focus();
    expect(await visit.page.evaluate<string | null>(SHOWS_FOCUS)).toBeNull();
    await visit.close();
  });

  it.each(['/sandbox/overview', '/sandbox/transactions', '/sandbox/send', '/keys'])(
    'is visible on every focusable element of %s',
    async (path) => {
      const { visit } = await open(path);
      const hidden = new Set<string>();
      for (let stop = 0; stop < 60; stop += 1) {
        await visit.page.keyboard.press('Tab');
        const html = await visit.page.evaluate<string | null>(SHOWS_FOCUS);
        if (html !== null) hidden.add(html);
      }
      expect([...hidden]).toEqual([]);
      await visit.close();
    },
  );

  it.each([
    '/sandbox/needs-action',
    '/sandbox/bulk',
    '/sandbox/bulk/$jobId',
    '/sandbox/batches',
    '/sandbox/transactions/$transactionId',
    '/credits',
    '/members',
    '/audit',
    '/profile',
    '/onboarding',
  ])('is visible on every focusable element of %s, which has rows and buttons', async (route) => {
    const { service } = site;
    const { visit } = await open('/keys');
    const tenantId = visit.path.split('/')[2];
    const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
    await issue(service, tenant, invoice({ referenceId: 'SIM-INVALID-CF358-1' }));
    const jobId = await insertBulkJob(service, tenantId);
    const [{ id }] = await service.owner.query<{ id: string }[]>(
      `SELECT id FROM document_transaction WHERE tenant_id = $1 AND reference_id = 'SIM-INVALID-CF358-1'`,
      [tenantId],
    );
    await visit.show(`/o/${tenantId}${route.replace('$jobId', jobId).replace('$transactionId', id)}`);
    const hidden = new Set<string>();
    let stopsInPage = 0;
    for (let stop = 0; stop < 60; stop += 1) {
      await visit.page.keyboard.press('Tab');
      if (await visit.page.evaluate<boolean>(`document.activeElement.closest('main') !== null`)) stopsInPage += 1;
      const html = await visit.page.evaluate<string | null>(SHOWS_FOCUS);
      if (html !== null) hidden.add(html);
    }
    expect([...hidden]).toEqual([]);
    expect(stopsInPage).toBeGreaterThan(1);
    await visit.close();
  });
});

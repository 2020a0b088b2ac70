import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../support/dashboard.js';
import { completeProfile } from '../support/people.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

interface Opened {
  readonly visit: Visit;
  readonly tenantId: string;
}

async function open(path: string): Promise<Opened> {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  const visit = await site.open(`/o/${tenantId}${path}`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return { visit, tenantId };
}

const INVOICE = [
  ['Invoice number', 'INV-1'],
  ['Buyer’s name', 'Pembeli Contoh Sdn Bhd'],
  ['Buyer’s TIN', 'C9876543210'],
  ['Buyer’s id number', '202001234567'],
  ['Buyer’s address', '12 Jalan Contoh'],
  ['Buyer’s city', 'Alor Setar'],
  ['Buyer’s postcode', '05000'],
  ['Description', 'Rice'],
  ['Unit price', '10'],
] as const;

async function fillInvoice(visit: Visit): Promise<void> {
  for (const [label, text] of INVOICE) await visit.fill(label, text);
}

/** Locates the input of a field, because its list has the same label. */
function choice(visit: Visit, label: string): Locator {
  return visit.field(label).and(visit.page.locator('input')).first();
}

async function typeAnd(visit: Visit, label: string, text: string, key: 'Tab' | 'Enter'): Promise<void> {
  await choice(visit, label).fill(text);
  await visit.page.keyboard.press(key);
}

/** Returns the latest stored request. */
async function readSent(tenantId: string): Promise<unknown> {
  const rows = await site.service.owner.query<{ payload: unknown }[]>(
    'SELECT payload FROM document_transaction WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1',
    [tenantId],
  );
  return rows.at(0)?.payload;
}

async function readState(tenantId: string): Promise<string> {
  const [{ state }] = await site.service.owner.query<{ state: string }[]>(
    'SELECT state_code AS state FROM tenant WHERE tenant_id = $1',
    [tenantId],
  );
  return state;
}

describe('typed option', () => {
  it('is selected on blur or Enter if the text matches exactly one option', async () => {
    const { visit, tenantId } = await open('/sandbox/send');
    await fillInvoice(visit);
    await visit.choose('Buyer’s state', 'Selangor');
    await typeAnd(visit, 'Buyer’s state', 'Kedah', 'Tab');
    await expect.poll(() => choice(visit, 'Buyer’s state').inputValue()).toBe('Kedah');
    await typeAnd(visit, 'Unit', 'kgm', 'Tab');
    await expect.poll(() => choice(visit, 'Unit').inputValue()).toMatch(/^KGM /);
    await typeAnd(visit, 'Tax type', '02', 'Enter');
    await expect.poll(() => choice(visit, 'Tax type').inputValue()).toMatch(/^02 /);
    // Enter selected an option but did not submit the form.
    expect(await readSent(tenantId)).toBeUndefined();
    await choice(visit, 'Classification').fill('004');
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    // The authority's code for Kedah.
    expect(await readSent(tenantId)).toMatchObject({
      recipient: { stateCode: '02' },
      lineItems: [{ unitCode: 'KGM', taxType: '02', classification: '004' }],
    });
    await visit.close();
  });

  it('prevents sending until the text matches an option or is cleared', async () => {
    const { visit, tenantId } = await open('/sandbox/send');
    const error = visit.page.getByText('“Se” is not one of the choices. Choose one from the list.');
    await fillInvoice(visit);
    await visit.choose('Buyer’s state', 'Selangor');
    await typeAnd(visit, 'Buyer’s state', 'Se', 'Tab');
    await error.waitFor();
    expect(await choice(visit, 'Buyer’s state').inputValue()).toBe('Se');
    expect(await choice(visit, 'Buyer’s state').getAttribute('aria-invalid')).toBe('true');
    await visit.expectUsable();
    await visit.press('Send (1 credit)');
    await expect
      .poll(() => visit.page.evaluate<string>('document.activeElement.dataset.path'))
      .toBe('documents.0.recipient.state');
    await visit.waitForText('Draft kept in this browser');
    await visit.page.reload();
    await error.waitFor();
    expect(await choice(visit, 'Buyer’s state').inputValue()).toBe('Se');
    await visit.choose('Buyer’s state', 'Selangor');
    expect(await error.count()).toBe(0);
    await typeAnd(visit, 'Unit', 'no such unit', 'Enter');
    await visit.waitForText('“no such unit” is not one of the choices. Choose one from the list.');
    await visit.press('Send (1 credit)');
    expect(await readSent(tenantId)).toBeUndefined();
    await typeAnd(visit, 'Unit', '', 'Tab');
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    expect(await readSent(tenantId)).toMatchObject({
      recipient: { stateCode: '10' },
      lineItems: [{ unitCode: null }],
    });
    await visit.close();
  });

  it('stays with its line when another line is removed', async () => {
    const { visit } = await open('/sandbox/send');
    await visit.press('Add a line');
    const units = visit.page.locator('input[data-path$=".unitCode"]');
    await units.nth(1).fill('no such unit');
    await visit.press('Remove line 1');
    await expect.poll(() => units.count()).toBe(1);
    expect(await units.inputValue()).toBe('no such unit');
    await visit.waitForText('“no such unit” is not one of the choices. Choose one from the list.');
    await visit.close();
  });

  it('prevents saving a profile with an unknown state or industry', async () => {
    const { visit, tenantId } = await open('/profile');
    const before = await readState(tenantId);
    const save = visit.page.getByRole('button', { name: 'Save', exact: true });
    await choice(visit, 'State').fill('Se');
    await save.nth(1).press('Enter');
    await visit.waitForText('“Se” is not one of the choices. Choose one from the list.');
    expect(await readState(tenantId)).toBe(before);
    await visit.expectUsable();
    await choice(visit, 'State').fill('Kedah');
    await save.nth(1).press('Enter');
    await visit.waitForText(/^Saved\. The change applies/);
    // The authority's code for Kedah.
    expect(await readState(tenantId)).toBe('02');
    await typeAnd(visit, 'Industry \\(MSIC\\)', '62010', 'Tab');
    await expect.poll(() => choice(visit, 'Industry \\(MSIC\\)').inputValue()).toMatch(/^62010 /);
    await typeAnd(visit, 'Industry \\(MSIC\\)', 'zzzz', 'Tab');
    await visit.waitForText('“zzzz” is not one of the choices. Choose one from the list.');
    await visit.close();
  });
});

describe('fix suggested by a hint', () => {
  it('changes the correct line after an earlier line was removed', async () => {
    const { visit } = await open('/sandbox/send');
    await fillInvoice(visit);
    for (const text of ['Second', 'Third']) {
      await visit.press('Add a line');
      await visit.field('Description').last().fill(text);
    }
    const pointer = '/documents/0/lineItems/1/taxType';
    await visit.page.route('**/submissions', (route) =>
      route.fulfill({
        status: 400,
        json: {
          code: 'validation_failed',
          message: 'Wrong',
          details: [{ pointer, message: 'is not a tax type', hint: 'use 02' }],
        },
      }),
    );
    const [types, button] = [
      visit.page.locator('input[data-path$=".taxType"]'),
      visit.page.getByRole('button', { name: 'Use 02', exact: true }),
    ];
    await visit.press('Send (1 credit)');
    await button.waitFor();
    await visit.press('Remove line 1');
    await expect.poll(() => types.count()).toBe(2);
    await button.click();
    await expect.poll(() => types.nth(0).inputValue()).toMatch(/^02 /);
    expect(await types.nth(1).inputValue()).toBe('');
    expect(await button.count()).toBe(0);
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });
});

it('option list filters by the typed text and shows all options before typing', async () => {
  const { visit } = await open('/sandbox/send');
  const options = visit.page.getByRole('option');
  await visit.choose('Unit', 'KGM kilogram');
  await visit.field('Unit').first().click();
  await visit.field('Unit').first().fill('KGM kilogram');
  await expect.poll(() => options.count()).toBe(1);
  await visit.page.keyboard.press('Tab');
  await visit.field('Unit').first().click();
  await expect.poll(() => options.count()).toBeGreaterThan(1_000);
  await visit.close();
});

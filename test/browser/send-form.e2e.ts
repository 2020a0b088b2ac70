import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatDay, formatMalaysianDay } from '../../dashboard/src/parts/malaysian-time.js';
import { issue, type TestTenant } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { creditNote, invoice, recipient } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

interface Trader {
  readonly visit: Visit;
  readonly tenant: TestTenant;
  readonly base: string;
}

/** Opens a page of an organisation without pending documents. */
async function trade(path: string, ...documents: object[]): Promise<Trader> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  for (const document of documents) {
    await issue(service, tenant, document);
    await service.settle();
  }
  const base = `/o/${tenantId}/sandbox`;
  const visit = await site.open(`${base}${path}`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return { visit, tenant, base };
}

async function openDocument({ visit, base }: Trader, referenceId: string): Promise<void> {
  await visit.go(`${base}/transactions`);
  await visit.page.getByRole('link', { name: referenceId, exact: true }).click();
  await visit.heading(new RegExp(referenceId));
  await visit.waitUntilSettled();
}

async function correct(trader: Trader, referenceId: string): Promise<void> {
  await openDocument(trader, referenceId);
  await trader.visit.page.getByRole('link', { name: 'Correct and resubmit' }).click();
  await trader.visit.heading(`Resubmit ${referenceId}`);
  await trader.visit.field('Date').waitFor();
}

function hasFocus(part: Locator): Promise<boolean> {
  return part.evaluate((element) => element === element.ownerDocument.activeElement);
}

async function countDocuments({ tenant: { tenantId } }: Trader): Promise<number> {
  return (await site.service.owner.query<unknown[]>('SELECT FROM document WHERE tenant_id = $1', [tenantId])).length;
}

/** Totals that a request may include for comparison. */
const COMPUTED_TOTALS = ['totalExcludingTax', 'totalTaxAmount', 'totalIncludingTax', 'totalPayableAmount'];

/** Returns the latest stored request for a document. */
async function readLatest({ tenant }: Trader, referenceId: string): Promise<Record<string, unknown>> {
  const [row] = await site.service.owner.query<{ payload: Record<string, unknown> }[]>(
    'SELECT payload FROM document_transaction WHERE tenant_id = $1 AND reference_id = $2 ORDER BY id DESC LIMIT 1',
    [tenant.tenantId, referenceId],
  );
  return row.payload;
}

/** Stores errors as if the authority had reported them. */
async function setErrors(
  { tenantId }: TestTenant,
  found: readonly (readonly [code: string, pointer: string | null])[],
): Promise<void> {
  const errors = found.map(([code, pointer]) => {
    const inRequest = pointer === null ? null : `/documents/0${pointer}`;
    return {
      code,
      message: 'Wrong',
      hint: 'Correct it',
      pointer: inRequest,
      authorityCode: null,
      authorityMessage: null,
    };
  });
  await site.service.owner.query('UPDATE document_transaction SET errors = $2 WHERE tenant_id = $1', [
    tenantId,
    JSON.stringify(errors),
  ]);
}

const CLUMSY = [
  ['Invoice number', 'INV-2'],
  ['Date', '2099-01-31'],
  ['Buyer’s name', 'Kedai'],
  ['Buyer’s TIN', 'c 98'],
  ['Buyer’s id number', '12'],
  ['Buyer’s address', 'Jalan 1'],
  ['Buyer’s city', 'Klang'],
  ['Buyer’s postcode', '4000'],
  ['Buyer’s phone', '12ab'],
  ['Buyer’s e-mail address', 'a@'],
  ['Description', 'Item'],
  ['Unit price', '10'],
  ['Discount', '99'],
] as const;

const COMPLETE = [
  ['Buyer’s name', 'Pembeli Contoh Sdn Bhd'],
  ['Buyer’s TIN', 'C9876543210'],
  ['Buyer’s id number', '202001234567'],
  ['Buyer’s address', 'Jalan 1'],
  ['Buyer’s city', 'Shah Alam'],
  ['Buyer’s postcode', '40000'],
  ['Buyer’s phone', '+60312345678'],
  ['Description', 'Item'],
  ['Unit price', '10'],
] as const;

const UUID = 'Parent invoice’s UUID at the authority';
const unknownParent = { referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };

describe('"Correct and resubmit"', () => {
  it('shows the filled form with the invalid field and its suggested values', async () => {
    const trader = await trade(
      '/transactions',
      invoice({ referenceId: 'INV-1' }),
      creditNote(unknownParent, { referenceId: 'CN-1' }),
    );
    const { visit } = trader;
    await correct(trader, 'CN-1');
    expect(await visit.field('Credit note number').inputValue()).toBe('CN-1');
    expect(await visit.field('Buyer’s name').inputValue()).toBe(recipient.name);
    expect(await visit.field('Unit price').inputValue()).toBe('100');
    expect(await visit.page.locator('[aria-invalid="true"]').count()).toBe(1);
    expect(await visit.field(UUID).getAttribute('aria-invalid')).toBe('true');
    await visit.expectUsable();
    await visit.fill(UUID, '');
    expect(await visit.page.locator('[aria-invalid="true"]').count()).toBe(0);
    await visit.fill('Parent invoice’s number', 'INV-1');
    await visit.fill('Buyer’s postcode', '4000');
    await visit.press('Send for 1 credit');
    await visit.page.getByRole('button', { name: 'Use 40000' }).waitFor();
    await visit.expectUsable();
    await visit.press('Use 40000');
    expect(await visit.field('Buyer’s postcode').inputValue()).toBe('40000');
    expect(await hasFocus(visit.field('Buyer’s postcode'))).toBe(true);
    await visit.press('Send for 1 credit');
    await visit.page.waitForURL(/batch/);
    await site.service.settle();
    await visit.page.reload();
    await visit.waitForText('Valid');
    await visit.close();
  });

  it('links each error to its field and offers the fix from its hint', async () => {
    const trader = await trade('/transactions', invoice({ referenceId: 'SIM-INVALID-CF364-1' }));
    const { visit, tenant } = trader;
    await setErrors(tenant, [
      ['buyer_tin_unknown', '/recipient/tin'],
      ['contact_email_invalid', '/recipient/email'],
      ['buyer_state_missing', '/recipient/state'],
      ['line_classification_missing', '/lineItems/0/classification'],
      ['issue_time_out_of_range', '/document_date'],
      ['supplier_city_missing', null],
    ]);
    await correct(trader, 'SIM-INVALID-CF364-1');
    await visit.expectUsable();
    const errors = visit.page.getByRole('region', { name: 'Errors' });
    await expect.poll(() => errors.getByRole('button', { name: 'Go to the field' }).count()).toBe(5);
    await errors.getByRole('button', { name: 'Go to the field' }).nth(1).click();
    expect(await visit.page.evaluate<string>('document.activeElement.dataset.path')).toBe(
      'documents.0.recipient.email',
    );
    await visit.press('Leave it out');
    expect(await visit.field('Buyer’s e-mail address').inputValue()).toBe('');
    await visit.press('Use 022 (others)');
    expect(await visit.field('Classification').first().inputValue()).toMatch(/^022/);
    await visit.press('Use today’s date');
    expect(await visit.field('Date').inputValue()).toBe(formatDay(formatMalaysianDay()));
    await visit.press('Check TIN and id with the authority');
    await visit.waitForText(/The authority (?:knows|does not know) this TIN/);
    await visit.press('Show the choices');
    await visit.page.getByRole('option', { name: 'Johor' }).click();
    expect(await visit.field('Buyer’s state').first().inputValue()).toBe('Johor');
    // Errors of the whole document and of one section.
    await setErrors(tenant, [
      ['document_structure_invalid', ''],
      ['line_classification_missing', '/lineItems'],
      ['supplier_city_missing', null],
    ]);
    await visit.page.reload();
    await visit.waitUntilSettled();
    await expect.poll(() => errors.getByRole('button', { name: 'Go to the field' }).count()).toBe(1);
    await errors.getByRole('button', { name: 'Go to the form' }).click();
    expect(await visit.page.evaluate<string>('document.activeElement.getAttribute("aria-label")')).toBe(
      'Fill in the document',
    );
    await errors.getByRole('button', { name: 'Go to the field' }).click();
    expect(await visit.page.evaluate<string>('document.activeElement.dataset.path')).toMatch(
      /^documents\.0\.lineItems\.0\./,
    );
    await errors.getByRole('link', { name: 'Open the profile' }).click();
    await visit.heading('Profile');
    await visit.close();
  });

  it('sends every unchanged field exactly as the API received it', async () => {
    const { components } = JSON.parse(readFileSync('dashboard/openapi.json', 'utf8')) as {
      components: { schemas: Record<string, { properties: object }> };
    };
    const lineItems = [
      {
        description: 'Night',
        quantity: 3,
        unitPrice: 100,
        discount: 30,
        lineTotal: 270,
        taxAmount: 30,
        taxPerUnit: 10,
        taxUnitCount: 3,
        taxType: 'E',
        taxExemptionReason: 'Order 2018',
        classification: '022',
        unitCode: 'DAY',
      },
    ];
    const buyer = {
      ...recipient,
      addressLine2: 'Seksyen 7',
      addressLine3: 'Blok B',
      country: 'MYS',
      phone: '+60398765432',
      email: 'ap@pembeli.example',
      sstNumber: 'W10-1808-32000001',
    };
    const trader = await trade(
      '/transactions',
      creditNote(unknownParent, {
        referenceId: 'CN-2',
        recipient: buyer,
        lineItems,
        totalDiscountAmount: 5,
        totalRoundingAmount: -0.02,
        paymentTerms: '30 days',
      }),
    );
    const { visit } = trader;
    await correct(trader, 'CN-2');
    const named: Record<string, string> = { document_date: 'documentDate', entity_type: 'idKind' };
    // A buyer has only one id, and the form does not send totals.
    const others = ['nric', 'passport', 'army', ...COMPUTED_TOTALS];
    const scopes = {
      DocumentDto: '',
      RecipientDto: 'recipient.',
      LineItemDto: 'lineItems.0.',
      RelatedInvoiceDto: 'relatedInvoice.',
    };
    for (const [schema, scope] of Object.entries(scopes)) {
      for (const member of Object.keys(components.schemas[schema].properties)) {
        if (['recipient', 'lineItems', 'relatedInvoice', ...others].includes(member)) continue;
        const path = `documents.0.${scope}${named[member] ?? member}`;
        expect(await visit.page.locator(`[data-path="${path}"]`).count(), path).toBe(1);
      }
    }
    expect(await visit.page.locator('[data-path="submission_type"]').count()).toBe(1);
    const before = await readLatest(trader, 'CN-2');
    await visit.fill(UUID, 'NA');
    await visit.press('Send for 1 credit');
    // Tax on an exempt line causes a warning.
    await visit.press('Send for 1 credit anyway');
    await visit.page.waitForURL(/batch/);
    expect(await readLatest(trader, 'CN-2')).toEqual({
      ...before,
      dateMember: 'documentDate',
      relatedInvoice: { ...unknownParent, authorityUuid: 'NA' },
    });
    await visit.close();
  });
});

describe('document page', () => {
  it('shows lines, linked documents and the deadline, if any', async () => {
    const trader = await trade(
      '/transactions',
      invoice({ referenceId: 'INV-1' }),
      creditNote({ referenceId: 'INV-1' }, { referenceId: 'CN-1' }),
    );
    const { visit } = trader;
    await openDocument(trader, 'INV-1');
    await visit.page.getByRole('cell', { name: /^Consulting/ }).waitFor();
    await visit.waitForText('This document cannot be cancelled');
    expect(await visit.page.getByRole('main').innerText()).not.toMatch(/\bleft\b/);
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Credit note CN-1' }).click();
    await visit.heading('Credit note CN-1');
    await visit.page.getByRole('link', { name: 'Invoice INV-1' }).waitFor();
    await visit.waitForText(/left$/);
    expect(await visit.page.getByRole('main').innerText()).not.toContain('cannot be cancelled');
    await visit.expectUsable();
    await visit.press('Cancel document');
    await visit.press('Cancel it for 1 credit');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    await visit.waitForText('A cancellation is under way');
    expect(await visit.page.getByRole('main').innerText()).not.toMatch(/\bleft\b|cannot be cancelled/);
    await visit.close();
  });

  it('offers a filled credit note only for a valid invoice', async () => {
    const trader = await trade(
      '/transactions',
      invoice({ referenceId: 'INV-1' }),
      invoice({ referenceId: 'SIM-INVALID-CV302-1' }),
    );
    const { visit } = trader;
    const button = visit.page.getByRole('link', { name: 'Credit note', exact: true });
    await openDocument(trader, 'SIM-INVALID-CV302-1');
    expect(await button.count()).toBe(0);
    await openDocument(trader, 'INV-1');
    await button.click();
    await visit.heading('Send a credit note');
    await visit.fill('Credit note number', 'CN-1');
    expect(await visit.field('Parent invoice’s number').inputValue()).toBe('INV-1');
    expect(await visit.field('Buyer’s TIN').inputValue()).toBe(recipient.tin);
    await visit.fill('Quantity', '1');
    await visit.fill('Tax \\(RM\\)', '7.2');
    await visit.expectUsable();
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    await site.service.settle();
    await visit.waitForText('The authority found it valid.');
    await openDocument(trader, 'CN-1');
    expect(await button.count()).toBe(0);
    await visit.close();
  });
});

describe('credit note for a partly credited invoice', () => {
  const chair = { description: 'Chair', quantity: 3, unitPrice: 100, taxAmount: 24, taxType: '01' };
  const parent = { referenceId: 'INV-1' };

  async function openNote(trader: Trader): Promise<void> {
    await openDocument(trader, 'INV-1');
    await trader.visit.page.getByRole('link', { name: 'Credit note', exact: true }).click();
    await trader.visit.field('Credit note number').waitFor();
  }

  it('starts with the remaining quantities', async () => {
    const trader = await trade(
      '/transactions',
      invoice({ referenceId: 'INV-1', lineItems: [chair] }),
      creditNote(parent, { referenceId: 'CN-1', lineItems: [{ ...chair, quantity: 1, taxAmount: 8 }] }),
    );
    const { visit } = trader;
    await openNote(trader);
    await visit.waitForText('RM 216.00 of RM 324.00 is left to credit');
    expect(await visit.field('Quantity').inputValue()).toBe('2');
    await visit.waitForText('To pay: RM 216.00');
    await visit.expectUsable();
    await visit.fill('Quantity', '1');
    await visit.fill('Tax \\(RM\\)', '8');
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    await openNote(trader);
    await visit.waitForText('To pay: RM 108.00');
    expect(await visit.field('Quantity').inputValue()).toBe('1');
    await visit.close();
  });

  it('asks before restoring a draft that is older than another credit note', async () => {
    const trader = await trade('/transactions', invoice({ referenceId: 'INV-1', lineItems: [chair] }));
    const { visit } = trader;
    await openNote(trader);
    await visit.fill('Payment terms', '30 days');
    await visit.waitForText('Draft kept in this browser');
    const note = creditNote(parent, { referenceId: 'CN-1', lineItems: [{ ...chair, quantity: 2, taxAmount: 16 }] });
    await issue(site.service, trader.tenant, note);
    await visit.page.reload();
    await visit.waitForText('There is an older draft');
    await visit.waitForText('RM 108.00 of RM 324.00 is left to credit');
    expect(await visit.field('Quantity').inputValue()).toBe('1');
    await visit.expectUsable();
    await visit.press('Show the draft');
    await expect.poll(() => visit.field('Quantity').inputValue()).toBe('3');
    expect(await visit.page.getByText('The form shows').count()).toBe(0);
    await visit.close();
  });

  it('starts without quantities if an earlier credit note credits other items', async () => {
    const refund = { ...chair, description: 'Refund', quantity: 1, unitPrice: 20, taxAmount: 0 };
    const trader = await trade(
      '/transactions',
      invoice({ referenceId: 'INV-1', lineItems: [chair] }),
      creditNote(parent, { referenceId: 'CN-1', lineItems: [refund] }),
    );
    const { visit } = trader;
    await openNote(trader);
    await visit.waitForText('RM 304.00 of RM 324.00 is left to credit');
    expect(await visit.field('Quantity').inputValue()).toBe('');
    await visit.waitForText('To pay: –');
    await visit.close();
  });
});

describe('new document number', () => {
  it('is suggested per document type', async () => {
    const trader = await trade(
      '/transactions',
      invoice({ referenceId: 'INV-0041' }),
      creditNote({ referenceId: 'INV-0041' }, { referenceId: 'CN-07' }),
    );
    const { visit, base } = trader;
    await visit.show(`${base}/send`);
    expect(await visit.field('Invoice number').inputValue()).toBe('INV-0042');
    await visit.choose('Document', 'Credit note');
    expect(await visit.field('Credit note number').inputValue()).toBe('CN-08');
    await visit.fill('Credit note number', 'MY-1');
    await visit.choose('Document', 'Invoice');
    expect(await visit.field('Invoice number').inputValue()).toBe('MY-1');
    await visit.close();
  });

  it('is replaced with the next unused number if it is taken', async () => {
    const trader = await trade('/transactions', invoice({ referenceId: 'INV-1' }));
    const { visit, base, tenant } = trader;
    await openDocument(trader, 'INV-1');
    await visit.show(`${base}/send`);
    expect(await visit.field('Invoice number').inputValue()).toBe('INV-2');
    await issue(site.service, tenant, invoice({ referenceId: 'INV-2' }));
    for (const [label, text] of COMPLETE) await visit.fill(label, text);
    await visit.choose('Buyer’s state', 'Selangor');
    await visit.press('Send (1 credit)');
    await visit.press('Use the next free number');
    await expect.poll(() => visit.field('Invoice number').inputValue()).toBe('INV-3');
    expect(await visit.field('Description').first().inputValue()).toBe('Item');
    await visit.expectUsable();
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    await visit.press('Send another one');
    await expect.poll(() => visit.field('Invoice number').inputValue()).toBe('INV-4');
    await visit.close();
  });
});

describe('credit note that exceeds the rest of its invoice', () => {
  it('is sent only after the user confirms the warning', async () => {
    const trader = await trade('/transactions', invoice({ referenceId: 'INV-1' }));
    const { visit } = trader;
    await openDocument(trader, 'INV-1');
    await visit.page.getByRole('link', { name: 'Credit note', exact: true }).click();
    await visit.fill('Credit note number', 'CN-1');
    const price = visit.field('Unit price');
    const whole = await price.inputValue();
    await price.fill('5000');
    await visit.press('Send (1 credit)');
    await visit.waitForText('Check this before you send');
    await visit.waitForText(
      /^Parent invoice’s number names invoice INV-1, which has RM [\d.,]+ left to credit, less than the RM \d+,\d{3}\.\d\d of this credit note\.$/,
    );
    await visit.waitForText(/ Check whether the invoice has been credited already; credit at most RM [\d.,]+\./);
    expect(await visit.page.evaluate<string>('document.activeElement.innerText')).toMatch(
      /^Check this before you send/,
    );
    await visit.expectUsable();
    await visit.press('Go to the field: Parent invoice’s number');
    expect(await visit.page.evaluate<string>('document.activeElement.dataset.path')).toBe(
      'documents.0.relatedInvoice.referenceId',
    );
    expect(await countDocuments(trader)).toBe(1);
    await price.fill('4000');
    await visit.page.getByText('Check this before you send').waitFor({ state: 'detached' });
    await visit.press('Send (1 credit)');
    await visit.press('Send (1 credit) anyway');
    await visit.waitForText('Accepted, with warnings');
    await visit.waitForText(/^Parent invoice’s number names invoice INV-1, /);
    expect(await countDocuments(trader)).toBe(2);
    expect(await readLatest(trader, 'CN-1')).toMatchObject({ lineItems: [{ unitPrice: 4000 }] });
    expect(Number(whole)).toBeLessThan(4000);
    await visit.close();
  });

  it('cannot be changed while it is being checked', async () => {
    const trader = await trade('/transactions', invoice({ referenceId: 'INV-1' }));
    const { visit } = trader;
    await openDocument(trader, 'INV-1');
    await visit.page.getByRole('link', { name: 'Credit note', exact: true }).click();
    await visit.fill('Credit note number', 'CN-1');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await visit.page.route('**/submissions/dry-run', async (route) => {
      await held;
      await route.continue();
    });
    const price = visit.field('Unit price');
    await price.fill('0');
    await price.press('Enter');
    await visit.page.locator('button[aria-busy="true"]').waitFor();
    expect(await price.isDisabled()).toBe(true);
    expect(await visit.field('Buyer’s name').isDisabled()).toBe(true);
    expect(await hasFocus(visit.page.locator('button[aria-busy="true"]'))).toBe(true);
    release();
    await visit.waitForText('The document was not sent. Correct the marked fields.');
    await expect.poll(() => hasFocus(visit.page.locator('[aria-invalid="true"]').first())).toBe(true);
    expect(await price.isDisabled()).toBe(false);
    await visit.close();
  });
});

describe('document form', () => {
  it('focuses the next line or the add button after a line is removed', async () => {
    const { visit } = await trade('/send');
    const add = visit.page.getByRole('button', { name: 'Add a line' });
    for (const text of ['First', 'Second', 'Third']) {
      if (text !== 'First') await add.press('Enter');
      await visit.field('Description').last().fill(text);
    }
    await visit.page.getByRole('button', { name: 'Remove line 2' }).press('Enter');
    await expect.poll(() => visit.field('Description').count()).toBe(2);
    expect(await visit.field('Description').last().inputValue()).toBe('Third');
    expect(await hasFocus(visit.field('Description').last())).toBe(true);
    await visit.page.getByRole('button', { name: 'Remove line 2' }).press('Enter');
    await expect.poll(() => visit.field('Description').count()).toBe(1);
    expect(await hasFocus(add)).toBe(true);
    await visit.expectUsable();
    await visit.close();
  });

  it('sends a credit note that references its invoice by number', async () => {
    const trader = await trade('/send', invoice({ referenceId: 'INV-1' }));
    const { visit } = trader;
    await visit.choose('Document', 'Credit note');
    await visit.fill('Credit note number', 'CN-1');
    await visit.fill('Parent invoice’s number', 'INV-1');
    await visit.choose('Earlier buyer', recipient.name);
    await visit.choose('Earlier item', 'Consulting');
    await visit.page.getByRole('button', { name: 'Remove line 1' }).click();
    await visit.expectUsable();
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    expect(await readLatest(trader, 'CN-1')).toMatchObject({
      documentType: 'credit_note',
      relatedInvoice: { referenceId: 'INV-1' },
      recipient: { tin: recipient.tin, idValue: recipient.brn, addressLines: [recipient.addressLine1] },
      lineItems: [{ description: 'Consulting', quantity: 1, unitPrice: 100, taxAmount: 8 }],
    });
    await visit.close();
  });

  it('sends consolidated receipts without a buyer', async () => {
    const trader = await trade('/send');
    const { visit } = trader;
    await visit.choose('Sold to', 'General public');
    await visit.waitForText('The buyer is the general public');
    expect(await visit.field('Buyer’s name').count()).toBe(0);
    await visit.fill('Invoice number', 'POS-1');
    await visit.fill('Description', 'Receipts 1 to 90');
    await visit.fill('Unit price', '845.5');
    await visit.expectUsable();
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    await site.service.settle();
    await visit.waitForText('The authority found it valid.');
    expect(await readLatest(trader, 'POS-1')).toMatchObject({ submissionType: 'consolidated', recipient: null });
    await visit.close();
  });

  it('sends all tax fields and a foreign buyer without a TIN', async () => {
    const trader = await trade('/send');
    const { visit } = trader;
    await visit.fill('Invoice number', 'EXP-1');
    await visit.fill('Buyer’s name', 'Example Pte Ltd');
    await visit.choose('Buyer’s country', 'SINGAPORE');
    await visit.press('The buyer has no TIN: use EI00000000020');
    await visit.fill('Buyer’s id number', 'NA');
    await visit.fill('Buyer’s address', '1 Example Road');
    await visit.fill('Buyer’s city', 'Singapore');
    await visit.fill('Buyer’s state', 'Central');
    await visit.fill('Buyer’s phone', '+6561234567');
    await visit.fill('Description', 'Rice');
    await visit.fill('Quantity', '3');
    await visit.choose('Unit', 'KGM kilogram');
    await visit.fill('Unit price', '10');
    await visit.fill('Discount', '5');
    await visit.choose('Classification', '022');
    await visit.choose('Tax type', '01');
    await visit.fill('Tax rate', '10');
    await visit.fill('Discount on the document', '1');
    await expect.poll(() => visit.field('Tax \\(RM\\)').inputValue()).toBe('2.5');
    await visit.waitForText('To pay: RM 26.50');
    await visit.fill('Quantity', '5');
    await expect.poll(() => visit.field('Tax \\(RM\\)').inputValue()).toBe('4.5');
    await visit.expectUsable();
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    expect(await readLatest(trader, 'EXP-1')).toMatchObject({
      totalDiscountAmount: 1,
      recipient: { tin: 'EI00000000020', idValue: 'NA', country: 'SGP', stateCode: 'Central', postcode: null },
      lineItems: [{ quantity: 5, unitCode: 'KGM', discount: 5, taxType: '01', taxAmount: 4.5, classification: '022' }],
    });
    await visit.close();
  });

  it('explains each problem without technical names', async () => {
    const { visit, base } = await trade('/transactions', invoice({ referenceId: 'INV-1' }));
    await visit.show(`${base}/send`);
    const wrong = visit.page.locator('[aria-invalid="true"]');
    const readTexts = () => visit.page.locator('form .mantine-InputWrapper-error').allTextContents();
    await visit.press('Send (1 credit)');
    await wrong.first().waitFor();
    const missing = await readTexts();
    expect(missing.length).toBeGreaterThanOrEqual(8);
    for (const [label, text] of CLUMSY) await visit.fill(label, text);
    await visit.press('Send (1 credit)');
    await visit.page.getByRole('button', { name: /^Use \d{1,2} [A-Z][a-z]{2} \d{4}$/ }).waitFor();
    const texts = [...missing, ...(await readTexts())];
    expect(texts.length - missing.length).toBeGreaterThanOrEqual(6);
    // The messages must not contain a field name, a JSON pointer or JSON.
    expect(texts.filter((text) => /[a-z][A-Z]|[a-z]_[a-z]|\/documents|[{}]/.test(text))).toEqual([]);
    expect(texts.filter((text) => !/; |\. /.test(text))).toEqual([]);
    await visit.expectUsable();
    await visit.close();
  });

  it('accepts local notations of amounts and asks about ambiguous ones', async () => {
    const { visit, base } = await trade('/transactions', invoice({ referenceId: 'INV-1' }));
    await visit.show(`${base}/send`);
    const price = visit.field('Unit price');
    const error = visit.page.getByText('can be read in two ways. Write it as 1,234.56.');
    const type = async (text: string): Promise<string> => {
      await price.fill('');
      await price.pressSequentially(text);
      await visit.page.keyboard.press('Tab');
      return price.inputValue();
    };
    expect(await type('1,234.56')).toBe('1,234.56');
    expect(await type('12,500')).toBe('12,500');
    expect(await error.count()).toBe(0);
    expect(await type('-5')).toBe('-5');
    expect(await type('12,5')).toBe('12,5');
    await error.waitFor();
    expect(await type('12.5')).toBe('12.5');
    expect(await error.count()).toBe(0);
    await visit.close();
  });

  it('shows the warnings of an accepted document', async () => {
    const { visit, base } = await trade('/transactions', invoice({ referenceId: 'INV-1' }));
    await visit.show(`${base}/send`);
    await visit.fill('Invoice number', 'OLD-1');
    await visit.fill('Date', '2020-01-01');
    await visit.choose('Earlier buyer', recipient.name);
    await visit.choose('Earlier item', 'Consulting');
    await visit.page.getByRole('button', { name: 'Remove line 1' }).click();
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted, with warnings');
    await visit.expectUsable();
    await visit.close();
  });

  it('checks the TIN and id with the authority before sending', async () => {
    const { visit, tenant } = await trade('/send');
    await visit.fill('Buyer’s TIN', recipient.tin);
    await visit.fill('Buyer’s id number', recipient.brn);
    await visit.press('Check TIN and id');
    await visit.waitForText('The authority knows this TIN with this id');
    await visit.expectUsable();
    await visit.fill('Buyer’s TIN', 'NONSENSE');
    await expect.poll(() => visit.page.getByText('The authority knows this TIN').count()).toBe(0);
    await visit.press('Check TIN and id');
    await visit.waitForText('This is not a valid TIN');
    await visit.expectUsable();
    const [{ count }] = await site.service.owner.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM submission_batch WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(count).toBe(0);
    await visit.close();
  });

  it('shows the page that contains the line with a problem', async () => {
    const lineItems = Array.from({ length: 25 }, (_, index) => ({
      description: `Item ${index + 1}`,
      quantity: 1,
      unitPrice: 10,
    }));
    const trader = await trade('/transactions', creditNote(unknownParent, { referenceId: 'CN-3', lineItems }));
    const { visit } = trader;
    await correct(trader, 'CN-3');
    expect(await visit.page.locator('fieldset[aria-label^="Line "]').count()).toBe(10);
    await visit.page.getByRole('button', { name: 'Page 3 of the lines' }).click();
    await visit.page.locator('fieldset[aria-label="Line 25"]').getByLabel('Description').fill('');
    await visit.page.getByRole('button', { name: 'Page 1 of the lines' }).click();
    await visit.expectUsable();
    await visit.press('Send for 1 credit');
    const wrong = visit.page.locator('fieldset[aria-label="Line 25"] [aria-invalid="true"]');
    await wrong.waitFor();
    await wrong.fill('Item 25');
    await visit.press('Send for 1 credit');
    await visit.page.waitForURL(/batch/);
    const { lineItems: sent } = (await readLatest(trader, 'CN-3')) as { lineItems: { description: string }[] };
    expect(sent.map(({ description }) => description)).toEqual(lineItems.map(({ description }) => description));
    await visit.close();
  });
});

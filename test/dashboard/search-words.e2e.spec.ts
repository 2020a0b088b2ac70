import { beforeAll, describe, expect, it } from 'vitest';
import type { TransactionPageDto } from '../../src/dashboard-api/transactions/dto/transaction-row.dto.js';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice, line, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import type { Problem } from '../support/people.js';

const service = await startFileService();
let tenant: TestTenant;
let viewer: Browser;
let basePath: string;

/** Exceeds the number of characters that are compared. */
const LONG_WORD = 'x'.repeat(60);

function sold(referenceId: string, name: string, amount: number): object {
  const item = { ...line, quantity: 1, discount: 0, taxAmount: 0, unitPrice: amount, lineTotal: amount };
  return invoice({ referenceId, recipient: { ...recipient, name }, lineItems: [item] });
}

beforeAll(async () => {
  tenant = await createTenant(service);
  viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
  await accept(service, tenant, [
    sold('ÅBO\u2011002', 'Müller & Café Straße', 1_234.56),
    sold('INV-S-006', 'ＫＥＤＡＩ　ŁÓDŹ', 150),
    sold('INV-S-007', 'A\u0301li\u2019s Αθήνα', 250),
    sold('100 - 200/A', 'Other Buyer', 7),
    sold('RM2024-001', 'Other Buyer', 8),
    sold('RM000150', 'Other Buyer', 9),
    sold('RM2024.001', 'Other Buyer', 10),
    sold('RM250', 'Other Buyer', 11),
    sold('LONG-1', `${LONG_WORD} Sdn Bhd`, 12),
  ]);
});

function search(q: string) {
  return viewer.get<TransactionPageDto & Problem>(
    `${basePath}/transactions?${new URLSearchParams({ q, sort: 'amount' }).toString()}`,
  );
}

describe('word search', () => {
  it.each([
    ['MÜLLER', ['ÅBO\u2011002'], 'accents in capital letters'],
    ['mu\u0308ller', ['ÅBO\u2011002'], 'accents that are written apart'],
    ['muller', ['ÅBO\u2011002'], 'accents that are not typed'],
    ['cafe', ['ÅBO\u2011002'], 'the end of a word without its accent'],
    ['STRASSE', ['ÅBO\u2011002'], 'a letter that is two in capital letters'],
    ['kedai', ['INV-S-006'], 'a name in full width'],
    ['ｌｏｄｚ', ['INV-S-006'], 'what is typed in full width'],
    ['Ali\u0027s', ['INV-S-007'], 'an apostrophe of the keyboard'],
    [LONG_WORD, ['LONG-1'], 'a word of 60 characters'],
    ['ΑΘΗΝΑ', ['INV-S-007'], 'another alphabet in capital letters'],
    ['abo-002', ['ÅBO\u2011002'], 'a number with a dash that does not break'],
    ['in\u200Bv-s-00\u00AD6', ['INV-S-006'], 'what is copied with characters that are not seen'],
    ['inv‑s–007', ['INV-S-007'], 'other dashes'],
    ['RM 200 - 100', ['INV-S-006'], 'a range in the wrong order'],
    ['RM 300 to 200', ['INV-S-007'], 'the same in words'],
    ['200 – 300', ['INV-S-007'], 'a range without its currency'],
    ['100 - 200', ['100 - 200/A', 'INV-S-006'], 'a range that may also begin a number'],
    ['RM 1 234.56', ['ÅBO\u2011002'], 'an amount with spaces'],
    ['1\u00A0234.56', ['ÅBO\u2011002'], 'the same without its currency, as a page shows it'],
    ['ＲＭ１，２３４．５６', ['ÅBO\u2011002'], 'an amount in full width'],
    ['RM-5', [], 'what may begin a number'],
    ['RM2024-001', ['RM2024-001'], 'a number that begins as an amount, and no range'],
    ['RM000150', ['RM000150'], 'a number of which an amount would have no such digits'],
    ['RM2024.001', ['RM2024.001'], 'a number that is no amount'],
    ['rm2024', ['RM2024-001', 'RM2024.001'], 'the beginning of such numbers'],
    ['RM250', ['RM250', 'INV-S-007'], 'what is a number and an amount'],
    ['RM100-200', ['INV-S-006'], 'a range without spaces, by its currency'],
    ['1,234.56 RM', ['ÅBO\u2011002'], 'an amount with its currency behind'],
    ['1234.56RM', ['ÅBO\u2011002'], 'the same without a space'],
    ['RM 200~100', ['INV-S-006'], 'a range with a tilde'],
    ['200 RM - 300 RM', ['INV-S-007'], 'a range with the currency behind'],
    ['100–200', ['INV-S-006'], 'a range without spaces, by its long dash'],
    ['100-200', [], 'a number'],
    ['2026–001', [], 'a number, although its dash is long'],
  ])('for %s finds %j: %s', async (q, expected) => {
    const { status, body, text } = await search(q);
    expect(status, text).toBe(200);
    expect(body.items.map(({ referenceId }) => referenceId)).toEqual(expected);
  });

  it.each([
    'RM -5',
    'rm 1,23',
    'RM 100 -',
    'RM 1 23.4',
    'MYR 1.234,56',
    'RM 100 - 200 - 300',
    'RM 99999999999999',
    'RM1.234,56',
    'RM-5.00',
    '1.234,56 RM',
    '-5 RM',
  ])('for %s explains the format of an amount', async (q) => {
    const { status, body, text } = await search(q);
    expect(status, text).toBe(400);
    expect(body.details).toMatchObject([
      { pointer: '/q', message: 'is not an amount', hint: 'write it as RM 1,234.56, and a range as RM 100 - 200' },
    ]);
  });

  it('rejects a term that contains only invisible characters', async () => {
    for (const q of ['\u200B', ' \u0301 ']) expect((await search(q)).status).toBe(400);
  });
});

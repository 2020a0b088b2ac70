import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadFonts } from '../../src/paper/fonts.js';
import type { Paper } from '../../src/paper/paper-printer.js';
import { printPdf } from '../../src/paper/print-pdf.js';
import { readPages, readQrCode } from '../support/pdf.js';

const VALIDATION_URL = 'https://portal.example/F9D425P6DS7D8IU/share/KPWMGXDR4KCTFBQ4S7NKQAKJ10abcdef';
const BASE: Omit<Paper, 'bytes'> = {
  environment: 'production',
  uuid: 'F9D425P6DS7D8IU',
  validationUrl: VALIDATION_URL,
  validatedAt: new Date('2026-11-22T03:45:10Z'),
  isCancelled: false,
  cancelledAt: null,
};

type Change = (text: string) => string;
const unchanged: Change = (text) => text;

/** The golden document in the builder's minified form. */
function readBuilt(name: string, change = unchanged): Buffer {
  const text = readFileSync(`src/documents/golden/${name}.built.json`, 'utf8');
  return Buffer.from(JSON.stringify(JSON.parse(change(text))));
}

async function printText(name: string, paper: Partial<Paper> = {}, change = unchanged): Promise<string> {
  return (await readPages(await printPdf({ ...BASE, bytes: readBuilt(name, change), ...paper }))).join('\n');
}

describe('PDF of a document', () => {
  it('contains the parties, the amounts and the validation data', async () => {
    const text = (await printText('signed-invoice')).replaceAll(/\s+/g, ' ');
    const [, signature = ''] = /"SignatureValue":\[{"_":"([^"]+)"/.exec(readBuilt('signed-invoice').toString()) ?? [];
    const parts = [
      ['Kedai Contoh Sdn Bhd', 'C1234567890', '201901234567', '46510 Wholesale of computer hardware'],
      ['Lot 66, Bangunan Merdeka, 50480 Kuala Lumpur', '+60312345678', 'akaun@kedai.example'],
      ['Pembeli Contoh Sdn Bhd', 'C9876543210', '202001234567', '12 Jalan Contoh, 40000 Shah Alam, Selangor'],
      ['e-Invoice type 01 Invoice', 'e-Invoice version 1.1', 'INV-0001', '23 Jul 2026, 08:30:00 (UTC+8)'],
      ['02 Service Tax 1,436.50 15.20', 'Discount 10.00', 'Total payable (MYR) 1,441.70'],
      ['Unique identifier F9D425P6DS7D8IU', 'Validated 22 Nov 2026, 11:45:10 (UTC+8)', VALIDATION_URL],
      [signature.slice(0, 40)],
    ];
    for (const part of parts.flat()) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/SANDBOX|CANCELLED/);
  });

  it('is byte-identical when it is printed again', async () => {
    const paper = { ...BASE, bytes: readBuilt('several-taxes') };
    const first = await printPdf(paper);
    await printPdf({ ...BASE, bytes: readBuilt('foreign-buyer') });
    expect((await printPdf(paper)).equals(first)).toBe(true);
  });

  it('contains a QR code with the validation link', async () => {
    expect(readQrCode(await printPdf({ ...BASE, bytes: readBuilt('invoice') }))).toBe(VALIDATION_URL);
  });

  it('has glyphs for Malay, Chinese and prices', async () => {
    const name = 'Kedai Dato’ Ahmad é 林國華有限公司 陈黄龙顾问服务 €';
    const text = await printText('invoice', {}, (json) => json.replaceAll('Pembeli Contoh Sdn Bhd', name));
    expect(text.replaceAll('\n', ' ')).toContain(name);
    // The text of a character without a glyph can still be extracted.
    for (const font of Object.values(loadFonts())) {
      expect(Array.from(name).filter((one) => !font.hasGlyphForCodePoint(one.codePointAt(0)))).toEqual([]);
    }
  });

  it('names the parent invoice of a credit note', async () => {
    const text = (await printText('credit-note')).replaceAll(/\s+/g, ' ');
    expect(text).toContain('e-Credit Note CN-0001');
    expect(text).toContain('Original e-Invoice INV-0001 Its UUID Z9JH44F9A9XXQQ30QFD7EXWJ10');
  });

  it('marks every page of a cancelled or sandbox document', async () => {
    const bytes = multiplyLines('several-taxes', 30);
    const pages = await readPages(
      await printPdf({
        ...BASE,
        bytes,
        environment: 'sandbox',
        isCancelled: true,
        cancelledAt: new Date('2026-11-23T00:00:00Z'),
      }),
    );
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) {
      expect(page).toContain('CANCELLED on 23 Nov 2026, 08:00:00 (UTC+8)');
      expect(page).toContain('SANDBOX: a test, not a tax document');
    }
  });

  it('repeats the table header on each page', async () => {
    const bytes = multiplyLines('several-taxes', 40);
    const lines = (JSON.parse(bytes.toString()) as Built).Invoice[0].InvoiceLine;
    const pages = await readPages(await printPdf({ ...BASE, bytes }));
    const found = new Set(pages.flatMap((page) => page.match(/Line \d+ of it/g) ?? []));
    expect(found.size).toBe(lines.length);
    for (const [index, page] of pages.entries()) {
      if (page.includes('of it')) expect(page).toContain('Description');
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
    }
    expect(pages.at(-1)).toContain('Total payable (MYR)');
    expect(pages.filter((page) => page.includes('Total payable (MYR)'))).toHaveLength(1);
  });
});

interface Built {
  Invoice: [{ InvoiceLine: { ID: [{ _: string }]; Item: [{ Description: [{ _: string }] }] }[] }];
}

function multiplyLines(name: string, times: number): Buffer {
  const built = JSON.parse(readBuilt(name).toString()) as Built;
  const [invoice] = built.Invoice;
  invoice.InvoiceLine = Array.from({ length: times }, () => structuredClone(invoice.InvoiceLine)).flat();
  for (const [index, line] of invoice.InvoiceLine.entries()) {
    line.ID[0]._ = String(index + 1);
    line.Item[0].Description[0]._ = `Line ${index + 1} of it`;
  }
  return Buffer.from(JSON.stringify(built));
}

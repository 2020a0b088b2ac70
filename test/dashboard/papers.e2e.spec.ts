import { beforeAll, describe, expect, it } from 'vitest';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { Browser, signUpInto } from '../support/dashboard.js';
import { creditNote, invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { organisation, type Problem, readAudit } from '../support/people.js';
import { readPages, readQrCode } from '../support/pdf.js';

const service = await startFileService();
const NUMBER = 'INV/2026 "ü" 001';
const INVALID = 'SIM-INVALID-CF358-77';
const LINES = 120;

let tenant: TestTenant;
let viewer: Browser;
let basePath: string;

interface Row {
  transactionId: string;
  referenceId: string;
  documentType: string;
}
let ids: Map<string, string>;

beforeAll(async () => {
  tenant = await createTenant(service);
  viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
  const line = { description: '顾问服务 Perkhidmatan', quantity: 2, unitPrice: 10, taxAmount: 0 };
  const lineItems = Array.from({ length: LINES }, () => line);
  await accept(service, tenant, [
    invoice({ referenceId: NUMBER }),
    invoice({ referenceId: 'LONG-1', lineItems }),
    invoice({ referenceId: INVALID }),
  ]);
  await service.settle();
  await accept(service, tenant, [creditNote({ referenceId: NUMBER }, { referenceId: 'CN-1' })]);
  await service.settle();
  const { body, text } = await viewer.get<{ items: Row[] }>(`${basePath}/transactions`);
  expect(body.items, text).toHaveLength(4);
  ids = new Map(body.items.map(({ referenceId, transactionId }) => [referenceId, transactionId]));
});

const pdfPath = (number: string): string => `${basePath}/transactions/${ids.get(number)}/document.pdf`;

describe('PDF of a valid document', () => {
  it('is byte-identical on each download and shows the validated content', async () => {
    const first = await viewer.download(pdfPath(NUMBER));
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const { bytes } = await viewer.download(pdfPath(NUMBER));
    expect(bytes.equals(first.bytes)).toBe(true);
    const text = (await readPages(bytes)).join('\n');
    const [row] = await service.owner.query<{ uuid: string; url: string }[]>(
      `SELECT authority_uuid AS uuid, '/' || authority_uuid || '/share/' || authority_long_id AS url
         FROM document_transaction WHERE id = $1`,
      [ids.get(NUMBER)],
    );
    expect(text).toContain(row.uuid);
    expect(text).toContain(NUMBER);
    expect(text).toContain('205.20');
    expect(text).toContain('SANDBOX');
    expect(readQrCode(bytes)).toMatch(new RegExp(`${row.url}$`));
  });

  it('has a portable file name', async () => {
    const { headers } = await viewer.download(pdfPath(NUMBER));
    expect(headers.get('content-disposition')).toBe('attachment; filename="invoice-INV_2026_001.pdf"');
    const note = await viewer.download(pdfPath('CN-1'));
    expect(note.headers.get('content-disposition')).toBe('attachment; filename="credit_note-CN-1.pdf"');
  });

  it('opens in the browser with view=print', async () => {
    const { headers, status } = await viewer.download(`${pdfPath('CN-1')}?view=print`);
    expect([status, headers.get('content-disposition')]).toEqual([200, 'inline; filename="credit_note-CN-1.pdf"']);
    const { status: refused, body } = await viewer.get<Problem>(`${pdfPath('CN-1')}?view=screen`);
    expect([refused, body.details?.[0].pointer]).toEqual([400, '/view']);
  });

  it('returns 404 for a document that is not valid', async () => {
    const { status, body } = await viewer.get<Problem>(pdfPath(INVALID));
    expect([status, body.code]).toEqual([404, 'not_found_here']);
    expect(body.message).toContain('found valid');
  });

  it('is available only to members of the organisation', async () => {
    const neighbour = await organisation(service);
    expect((await neighbour.browser.get(pdfPath(NUMBER))).status).toBe(404);
    const own = `${neighbour.path}/sandbox/transactions/${ids.get(NUMBER)}/document.pdf`;
    expect((await neighbour.browser.get(own)).status).toBe(404);
    expect((await new Browser(service).get(pdfPath(NUMBER))).status).toBe(401);
  });

  it('is recorded in the audit log after each successful download', async () => {
    const count = async (): Promise<number> =>
      (await readAudit(service, tenant.tenantId)).filter(({ action }) => action === 'file.downloaded').length;
    const before = await count();
    await viewer.download(pdfPath('CN-1'));
    await viewer.download(pdfPath(INVALID));
    expect(await count()).toBe(before + 1);
  });

  it('contains every line of a long document without blocking the event loop', async () => {
    await viewer.download(pdfPath('CN-1'));
    let [last, longestGap] = [performance.now(), 0];
    const timer = setInterval(() => {
      const now = performance.now();
      longestGap = Math.max(longestGap, now - last);
      last = now;
    }, 1);
    const begin = performance.now();
    const { bytes } = await viewer.download(pdfPath('LONG-1'));
    const elapsed = performance.now() - begin;
    clearInterval(timer);
    expect(longestGap, `of ${elapsed} ms`).toBeLessThan(Math.max(500, elapsed / 2));
    const pages = await readPages(bytes);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.join('').match(/顾问服务 Perkhidmatan/g)).toHaveLength(LINES);
  });
});

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference, today } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// The authority accepts a signed document only if the intermediary was appointed by its issue time. The simulator
// records the time of each appointment (docs/rules.md#issue-time).

function toCertificatePath(name: string): string {
  return fileURLToPath(new URL(`../support/certificates/${name}.pem`, import.meta.url));
}

const HOUR_SECONDS = 3_600;

const service = await startFileService({
  environment: {
    AUTHORITY_SANDBOX_SIGNING_CERT: toCertificatePath('signing.cert'),
    AUTHORITY_SANDBOX_SIGNING_KEY: toCertificatePath('signing.key'),
  },
});

let tins = 0;

async function createStranger(): Promise<TestTenant & { readonly tin: string }> {
  tins += 1;
  const tin = `C${7_000_000 + tins}0`;
  const tenant = await createTenant(service, { profile: { tin } });
  await appoint(tin, false);
  return { ...tenant, tin };
}

async function appoint(tin: string, appointed: boolean): Promise<void> {
  await service.control('taxpayers', { tin, appointed });
}

async function readClock(): Promise<number> {
  const [{ now }] = await service.owner.query<{ now: Date }[]>('SELECT service_now() AS now');
  return now.getTime();
}

/** Dates in requests are checked against the machine's clock. */
const YESTERDAY = toMalaysianDate(new Date(Date.now() - 24 * HOUR_SECONDS * 1_000));

async function queue(tenant: TestTenant, date = YESTERDAY): Promise<() => Promise<DocumentStatusDto>> {
  const { submissionBatchId } = await accept(service, tenant, [invoice({ document_date: date })]);
  return async () => (await readStatus(service, tenant, submissionBatchId)).documents[0];
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}

function readIssueSeconds({ issuedAt }: DocumentStatusDto): number {
  return toSeconds(Date.parse(String(issuedAt)));
}

async function readPeriods(transactionId: string): Promise<unknown> {
  const [{ text }] = await service.owner.query<{ text: string }[]>(
    `SELECT convert_from(bytes, 'UTF8') AS text FROM authority_document WHERE transaction_id = $1`,
    [transactionId],
  );
  return JSON.parse(text).Invoice[0].InvoicePeriod;
}

describe('issue time of a signed document dated yesterday', () => {
  it('follows an appointment made today', async () => {
    const tenant = await createStranger();
    await appoint(tenant.tin, true);
    const appointedAt = await readClock();
    const read = await queue(tenant);
    await service.settle();
    const document = await read();
    expect(document).toMatchObject({ authorityStatus: 'Valid', errors: [] });
    expect(readIssueSeconds(document)).toBeGreaterThanOrEqual(toSeconds(appointedAt));
    const period = [{ StartDate: [{ _: YESTERDAY }], EndDate: [{ _: YESTERDAY }] }];
    expect(await readPeriods(document.transactionId)).toEqual(period);
  });

  it('follows the appointment that the document waited for', async () => {
    const tenant = await createStranger();
    const read = await queue(tenant);
    expect(await service.tick('submit')).toBe(1);
    expect(await read()).toMatchObject({ submissionStatus: 'Queued', waiting: { code: 'not_appointed' } });
    await service.advance(HOUR_SECONDS);
    await appoint(tenant.tin, true);
    const appointedAt = await readClock();
    await service.settle();
    const document = await read();
    expect(document).toMatchObject({ authorityStatus: 'Valid' });
    expect(readIssueSeconds(document)).toBeGreaterThanOrEqual(toSeconds(appointedAt));
  });

  it.each([
    ['its token still works', 60],
    ['its token has expired', 2 * HOUR_SECONDS],
  ])('follows an appointment renewed while the document waited and %s', async (_, seconds) => {
    const tenant = await createStranger();
    await appoint(tenant.tin, true);
    await issue(service, tenant, invoice());
    await service.advance(seconds);
    await appoint(tenant.tin, false);
    const read = await queue(tenant);
    await service.tick('submit');
    expect(await read()).toMatchObject({ waiting: { code: 'not_appointed' } });
    await service.advance(HOUR_SECONDS / 2);
    await appoint(tenant.tin, true);
    const appointedAt = await readClock();
    await service.settle();
    const document = await read();
    expect(document).toMatchObject({ authorityStatus: 'Valid' });
    expect(readIssueSeconds(document)).toBeGreaterThanOrEqual(toSeconds(appointedAt));
  });

  it('increases with each attempt', async () => {
    const tenant = await createStranger();
    await appoint(tenant.tin, true);
    const referenceId = reference('SIM-INVALID-CV302');
    const issued: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { documents } = await issue(service, tenant, invoice({ referenceId, document_date: YESTERDAY }));
      issued.push(readIssueSeconds(documents[0]));
    }
    expect(issued).toEqual([...new Set(issued)].toSorted((one, other) => one - other));
  });

  // Must run last, because the clocks remain different.
  it.each([
    ['ahead of', 0, 240],
    ['behind', 270, 0],
  ])("equals the login time even if the authority's clock is %s ours", async (_, ours, authoritys) => {
    await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [ours]);
    await service.control('clock', { advanceSeconds: authoritys });
    const tenant = await createStranger();
    await appoint(tenant.tin, true);
    const read = await queue(tenant);
    await service.settle();
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', errors: [] });
  });

  it("ignores today's logins of other organisations with the same TIN", async () => {
    // Earlier tests have advanced the service's clock, but the machine's clock determines the valid dates of requests.
    await service.reset();
    const profile = { tin: 'C77777770' };
    const earlier = await createTenant(service, { profile });
    await issue(service, earlier, invoice());
    const date = today();
    const nextNoon = Date.parse(`${date}T12:00:00+08:00`) + 24 * HOUR_SECONDS * 1_000;
    await service.advance((nextNoon - (await readClock())) / 1_000);
    const later = await createTenant(service, { profile });
    const reads = [await queue(earlier, date), await queue(later, date)];
    await service.settle();
    const documents = [await reads[0](), await reads[1]()];
    expect(documents).toMatchObject([{ authorityStatus: 'Valid' }, { authorityStatus: 'Valid' }]);
    const dates = documents.map(({ issuedAt }) => toMalaysianDate(new Date(String(issuedAt))));
    expect([dates[0] === date, dates[1] === date]).toEqual([true, false]);
  });
});

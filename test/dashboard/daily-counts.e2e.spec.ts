import { beforeEach, describe, expect, it } from 'vitest';
import type { DayDto, OverviewDto } from '../../src/dashboard-api/overview/dto/overview.dto.js';
import { accept, cancel, createTenant, submit, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { creditNote, invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const DAY_SECONDS = 86_400;
/** The day of the documents is over then, and its counts may be kept. */
const OVER_SECONDS = 2 * DAY_SECONDS;

const service = await startFileService();

let tenant: TestTenant;
let viewer: Browser;
beforeEach(async () => {
  tenant = await createTenant(service, { credits: 100 });
});

async function readDays(): Promise<DayDto[]> {
  // A session does not last as long as the tests advance the time.
  viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  const path = `/organisations/${tenant.tenantId}/sandbox/overview?days=7`;
  const { status, body, text } = await viewer.get<OverviewDto>(path);
  expect(status, text).toBe(200);
  return body.days;
}

/** The sum over the days, without what is 0. */
function sum(days: readonly DayDto[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const { counts, creditsUsed } of days) {
    const all: [string, number][] = [...Object.entries(counts), ['creditsUsed', creditsUsed]];
    for (const [name, count] of all) total[name] = (total[name] ?? 0) + count;
  }
  return Object.fromEntries(Object.entries(total).filter(([, count]) => count > 0));
}

async function countKept(): Promise<number> {
  const [{ kept }] = await service.owner.query<[{ kept: number }]>(
    'SELECT count(*)::integer AS kept FROM daily_count WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  return kept;
}

function countChanges(): Promise<unknown[]> {
  return service.owner.query('SELECT FROM daily_count_change WHERE tenant_id = $1', [tenant.tenantId]);
}

/** The same days, all counted again. */
async function countAgain(): Promise<DayDto[]> {
  await service.owner.query('DELETE FROM daily_count WHERE tenant_id = $1', [tenant.tenantId]);
  return readDays();
}

const UNKNOWN_PARENT = { referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };

describe('the days of the overview', () => {
  it('are kept when they are over, those before yesterday, and shown as they were counted', async () => {
    await accept(service, tenant, [invoice(), invoice({ referenceId: 'SIM-INVALID-CF358-1' })]);
    await service.settle();
    expect(sum(await readDays())).toEqual({ valid: 1, invalid: 1, creditsUsed: 2 });
    expect(await countKept()).toBe(5);
    await service.advance(OVER_SECONDS);
    const days = await readDays();
    expect(sum(days)).toEqual({ valid: 1, invalid: 1, creditsUsed: 2 });
    expect(days[4]).toMatchObject({ counts: { valid: 1, invalid: 1 }, creditsUsed: 2 });
    expect(await countKept()).toBe(7);
    // Seen in what is kept: nothing else is read of such a day.
    await service.owner.query(`UPDATE daily_count SET credits = credits + 40 WHERE tenant_id = $1 AND credits > 0`, [
      tenant.tenantId,
    ]);
    expect(sum(await readDays())).toMatchObject({ creditsUsed: 42 });
  });

  it('are counted again when an attempt of them is cancelled', async () => {
    const batch = await accept(service, tenant, [invoice(), invoice()]);
    await service.settle();
    await service.advance(OVER_SECONDS);
    expect(sum(await readDays())).toEqual({ valid: 2, creditsUsed: 2 });
    await cancel(service, tenant, { documentId: batch.documents[0].documentId });
    await service.settle();
    expect(await countChanges()).toHaveLength(1);
    expect(sum(await readDays())).toEqual({ valid: 1, cancelled: 1, creditsUsed: 3 });
    expect(await countChanges()).toEqual([]);
    expect(sum(await countAgain())).toEqual({ valid: 1, cancelled: 1, creditsUsed: 3 });
  });

  it('are counted again when an attempt of them is replaced, and when what waited is sent', async () => {
    const failing = creditNote(UNKNOWN_PARENT, { referenceId: 'R-2' });
    await accept(service, tenant, [invoice({ referenceId: 'R-1' }), failing]);
    await service.settle();
    await accept(service, tenant, [invoice({ referenceId: 'LATE-1' })]);
    await service.advance(OVER_SECONDS);
    expect(sum(await readDays())).toEqual({ valid: 1, invalid: 1, queued: 1, creditsUsed: 3 });
    const response = await submit(service, tenant, [creditNote({ referenceId: 'R-1' }, { referenceId: 'R-2' })]);
    expect(response.status, response.text).toBe(200);
    expect(sum(await readDays())).toEqual({ valid: 1, queued: 2, creditsUsed: 4 });
    await service.settle();
    expect(sum(await readDays())).toEqual({ valid: 3, creditsUsed: 4 });
    expect(sum(await countAgain())).toEqual({ valid: 3, creditsUsed: 4 });
  });

  it('cost two rows for each further attempt of a document, however many it has had', async () => {
    const failing = creditNote(UNKNOWN_PARENT, { referenceId: 'R-9' });
    await accept(service, tenant, [failing]);
    await service.settle();
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      const before = (await countChanges()).length;
      await accept(service, tenant, [failing]);
      expect((await countChanges()).length - before).toBe(2);
      await service.settle();
    }
  });

  it('miss no move that commits after they were counted, or while', async () => {
    await accept(service, tenant, [invoice(), invoice()]);
    await service.settle();
    await service.advance(OVER_SECONDS);
    const move = /* sql */ `
      UPDATE document_transaction SET authority_status = 'Cancelled', version = version + 1, updated_at = service_now()
       WHERE id = (SELECT id FROM document_transaction WHERE tenant_id = $1 AND authority_status = 'Valid' LIMIT 1)`;
    await service.owner.transaction(async (tx) => {
      await tx.query(move, [tenant.tenantId]);
      expect(sum(await readDays())).toEqual({ valid: 2, creditsUsed: 2 });
    });
    expect(sum(await readDays())).toEqual({ valid: 1, cancelled: 1, creditsUsed: 2 });
    await service.owner.transaction(async (tx) => {
      // Who counts at the same time as another one keeps nothing.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('daily_count|' || $1 || '|sandbox', 0))`, [
        tenant.tenantId,
      ]);
      await service.owner.query(move, [tenant.tenantId]);
      expect(sum(await readDays())).toEqual({ cancelled: 2, creditsUsed: 2 });
      expect(await countChanges()).toHaveLength(1);
    });
    expect(sum(await readDays())).toEqual({ cancelled: 2, creditsUsed: 2 });
    expect(await countChanges()).toEqual([]);
  });

  it('are forgotten by the housekeeping once no overview shows them', async () => {
    await accept(service, tenant, [invoice()]);
    await service.settle();
    await service.advance(OVER_SECONDS);
    await readDays();
    expect(await countKept()).toBe(5);
    await service.advance(110 * DAY_SECONDS);
    await service.tick('housekeeping');
    expect(await countKept()).toBe(0);
  });
});

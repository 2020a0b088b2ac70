import type { INestApplicationContext } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../../../src/config/configuration.js';
import { DispatcherModule } from '../../../../src/processes/dispatcher.module.js';
import { dispatcherSettings } from '../../../../test/dispatcher/replica.js';
import { createTenant, issue, type TestTenant } from '../../../../test/support/client.js';
import { invoice, reference } from '../../../../test/support/documents.js';
import { expectTenantTable } from '../../../../test/support/extension-table.js';
import { startFileService } from '../../../../test/support/file-service.js';
import { createLoops } from '../../../../test/support/loops.js';
import { NightlyReport } from './nightly-report.entity.js';
import { NightlyReportModule } from './nightly-report.module.js';

const service = await startFileService({ extensions: [NightlyReportModule] });
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

let replicas: INestApplicationContext[];
let first: TestTenant;
let second: TestTenant;

beforeAll(async () => {
  const configuration = readConfiguration('dispatcher', dispatcherSettings(service, service.simulator.url));
  const start = (): Promise<INestApplicationContext> =>
    createLoops(DispatcherModule.forRoot(configuration, [NightlyReportModule]));
  replicas = [await start(), await start()];
  [first, second] = [await createTenant(service), await createTenant(service)];
  await issue(service, first, invoice(), invoice(), invoice({ referenceId: reference('SIM-INVALID-CV302') }));
});
afterAll(async () => {
  for (const replica of replicas) await replica.close();
});

/** What the timers of all replicas do when they fire at the same time. */
async function fireTimers(): Promise<void> {
  await Promise.all(
    replicas.map(async (replica) => {
      const job = replica.get(SchedulerRegistry, { strict: false }).getCronJob('nightly-report');
      await job.fireOnTick();
    }),
  );
}

interface ReportRow {
  readonly tenantId: string;
  readonly environment: string;
  readonly accepted: number;
  readonly valid: number;
  readonly writtenBy: string;
}

/** Of the two tenants, with the database transaction that wrote each row. */
function readReports(): Promise<ReportRow[]> {
  return service.owner.query(
    `SELECT tenant_id AS "tenantId", environment, accepted, valid, xmin::text AS "writtenBy"
       FROM nightly_report WHERE tenant_id = ANY ($1::uuid[]) ORDER BY tenant_id, day, environment DESC`,
    [[first.tenantId, second.tenantId]],
  );
}

describe('the nightly report', () => {
  it('counts the day before for every tenant alone', async () => {
    await service.advance(DAY_SECONDS);
    await fireTimers();
    expect(await readReports()).toMatchObject([
      { tenantId: first.tenantId, environment: 'sandbox', accepted: 3, valid: 2 },
      { tenantId: first.tenantId, environment: 'production', accepted: 0, valid: 0 },
      { tenantId: second.tenantId, environment: 'sandbox', accepted: 0, valid: 0 },
      { tenantId: second.tenantId, environment: 'production', accepted: 0, valid: 0 },
    ]);
  });

  it('runs once in a turn of all replicas, and finishes in the next what a stopped replica has left', async () => {
    await service.owner.query('DELETE FROM nightly_report WHERE tenant_id = $1', [second.tenantId]);
    const kept = await readReports();
    // In the same turn, nothing.
    await fireTimers();
    expect(await readReports()).toEqual(kept);
    await service.owner.query(
      `UPDATE housekeeping_task SET last_run_at = last_run_at - interval '1 hour' WHERE name = 'nightly_report'`,
    );
    await fireTimers();
    const reports = await readReports();
    expect(reports).toHaveLength(4);
    expect(reports.slice(0, 2)).toEqual(kept);
  });

  it('keeps its figures in a table of tenants, which is that of its entity', async () => {
    await expectTenantTable(service, NightlyReport);
  });
});

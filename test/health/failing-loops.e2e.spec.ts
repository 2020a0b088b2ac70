import { Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Readiness } from '../../src/common/metrics-page.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { ConfigurationModule } from '../../src/config/configuration.module.js';
import { ReadinessService } from '../../src/dispatcher/monitoring/readiness.service.js';
import { LoopActivity } from '../../src/common/loops/loop-activity.js';
import { LoopRegistry } from '../../src/common/loops/loop-registry.js';
import { type Loop, RepeatedLoop } from '../../src/common/loops/loop.js';
import { ScheduleService } from '../../src/common/loops/schedule.service.js';
import { createDispatcher } from '../../src/processes/dispatcher-application.js';
import { dispatcherSettings } from '../dispatcher/replica.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';

const service = await startFileService();

const DISK_FULL = `BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END`;

/** Starts a dispatcher with running loops. @returns a function that reads `/ready` */
async function startDispatcher(): Promise<() => Promise<Readiness>> {
  const settings = dispatcherSettings(service, service.simulator.url);
  const dispatcher = await createDispatcher(readConfiguration('dispatcher', settings));
  onTestFinished(() => dispatcher.close());
  return () => dispatcher.get(ReadinessService).read();
}

async function queueDocument(): Promise<{ tenant: TestTenant; submissionBatchId: string }> {
  const tenant = await createTenant(service);
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  return { tenant, submissionBatchId };
}

describe('/ready of the dispatcher', () => {
  it('returns 503 disk_full until ticks can write', async () => {
    const read = await startDispatcher();
    await until('it is ready', async () => (await read()).isReady);
    await service.owner.query(
      `CREATE FUNCTION refuse_call() RETURNS trigger LANGUAGE plpgsql AS $$ ${DISK_FULL} $$;
       CREATE TRIGGER refuse_call BEFORE INSERT ON authority_submission FOR EACH ROW EXECUTE FUNCTION refuse_call()`,
    );
    const { tenant, submissionBatchId } = await queueDocument();
    await until('it is not ready', async () => !(await read()).isReady);
    expect(await read()).toEqual({
      isReady: false,
      body: { code: 'disk_full', message: "The database's disk is full: make room on it" },
    });
    await service.owner.query('DROP FUNCTION refuse_call CASCADE');
    await until('the document has its outcome', async () => {
      return (await readStatus(service, tenant, submissionBatchId)).status === 'Valid';
    });
    await until('it is ready again', async () => (await read()).isReady);
  }, 120_000);

  it('returns 503 loops_failing while all ticks fail', async () => {
    await queueDocument();
    const holder = service.owner.createQueryRunner();
    onTestFinished(() => holder.release());
    await holder.startTransaction();
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await holder.query('LOCK TABLE document_transaction IN ACCESS EXCLUSIVE MODE');
    const read = await startDispatcher();
    await until('it is not ready', async () => !(await read()).isReady);
    expect(await read()).toMatchObject({
      isReady: false,
      body: { code: 'loops_failing', message: expect.stringContaining('submit (57014)') as string },
    });
    // The other loops fail because the waiting ticks hold all connections.
    await until('it names why other loops fail', async () => {
      return JSON.stringify(await read()).includes('(no database connection was free)');
    });
    expect(JSON.stringify(await read())).not.toContain('(Error)');
    await holder.rollbackTransaction();
    await until('it is ready again', async () => (await read()).isReady);
  }, 180_000);

  it('checks the database disk with a write', async () => {
    const read = await startDispatcher();
    const written = async (): Promise<number> => {
      const [{ bytes }] = await service.owner.query<{ bytes: string }[]>(
        'SELECT temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database()',
      );
      return Number(bytes);
    };
    const before = await written();
    // PostgreSQL updates this statistic with a delay.
    await until('it has written to the disk', async () => (await read()).isReady && (await written()) > before);
  }, 120_000);
});

describe('a loop with failing ticks', () => {
  it('backs off to one tick every five seconds until a tick succeeds', async () => {
    let isBroken = true;
    let ticks = 0;
    @RepeatedLoop({ name: 'broken', intervalMs: 250, concurrency: 1 })
    class BrokenLoop implements Loop {
      tick(): Promise<number> {
        ticks += 1;
        return isBroken ? Promise.reject(new Error('disk full')) : Promise.resolve(0);
      }
    }
    const configuration = readConfiguration('dispatcher', dispatcherSettings(service, service.simulator.url));
    @Module({
      imports: [ConfigurationModule.forRoot(configuration), DiscoveryModule, ScheduleModule.forRoot()],
      providers: [BrokenLoop, LoopActivity, LoopRegistry, ScheduleService],
    })
    class BrokenModule {}
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const application = await NestFactory.createApplicationContext(BrokenModule, { logger: false });
    onTestFinished(() => application.close());
    const countTicks = async (milliseconds: number): Promise<number> => {
      const before = ticks;
      await vi.advanceTimersByTimeAsync(milliseconds);
      return ticks - before;
    };
    // Pauses of 0.5, 1, 2, 4 and 5 s.
    expect(await countTicks(12_750)).toBe(5);
    expect(await countTicks(60_000)).toBe(12);
    isBroken = false;
    expect(await countTicks(5_000)).toBeGreaterThan(0);
    expect(await countTicks(5_000)).toBe(20);
  });
});

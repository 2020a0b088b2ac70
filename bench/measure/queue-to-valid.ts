import { setTimeout as wait } from 'node:timers/promises';
import type { Closing } from '../../standalone/program.js';
import type { BenchDatabase, BenchServer } from '../database/server.js';
import { readCpuSeconds } from '../processes/cpu-time.js';
import { startDispatcher, startSimulator } from '../processes/service.js';

export interface QueueToValid {
  readonly documents: number;
  /** Time from the first claim to the last outcome on the database's clock. */
  readonly seconds: number;
  /** CPU time per process from the ready dispatcher to the last outcome. */
  readonly cpuSeconds: Readonly<Record<'dispatcher' | 'PostgreSQL' | 'simulator', number>>;
}

export interface ToValidOptions {
  readonly database: BenchDatabase;
  readonly documents: number;
  readonly dist: string;
}

const POLL_MS = 500;
const START_SECONDS_MAX = 120;
const DOCUMENTS_PER_SECOND_MIN = 100;

const COUNT_VALID = /* sql */ `
SELECT count(*) FILTER (WHERE to_state = 'valid')::integer AS valid,
       extract(epoch FROM max(at) - min(at))::float8 AS seconds
  FROM status_event`;

/** Measures queued documents until they are `Valid`. Dispatcher and simulator are separate processes. */
export async function measureQueueToValid(
  closing: Closing,
  server: BenchServer,
  { database, documents, dist }: ToValidOptions,
): Promise<QueueToValid> {
  const simulator = await startSimulator(closing, server.directory);
  try {
    const postgresBefore = await readCpuSeconds(server.processId);
    const simulatorBefore = await readCpuSeconds(simulator.processId);
    const dispatcher = await startDispatcher(closing, {
      directory: server.directory,
      databaseUrl: database.dispatcherUrl,
      authorityUrl: simulator.url,
      dist,
    });
    try {
      const dispatcherBefore = await readCpuSeconds(dispatcher.processId);
      const seconds = await untilValid(database, documents, closing.signal);
      const cpuSeconds = {
        dispatcher: (await readCpuSeconds(dispatcher.processId)) - dispatcherBefore,
        PostgreSQL: (await readCpuSeconds(server.processId)) - postgresBefore,
        simulator: (await readCpuSeconds(simulator.processId)) - simulatorBefore,
      };
      return { documents, seconds, cpuSeconds };
    } finally {
      await dispatcher.stop();
    }
  } finally {
    await simulator.stop();
  }
}

/** @returns seconds from the first claim to the last outcome */
async function untilValid({ superuser }: BenchDatabase, documents: number, signal: AbortSignal): Promise<number> {
  const giveUpAt = Date.now() + (START_SECONDS_MAX + documents / DOCUMENTS_PER_SECOND_MIN) * 1_000;
  for (;;) {
    await wait(POLL_MS, undefined, { signal });
    const { rows } = await superuser.query<{ valid: number; seconds: number }>(COUNT_VALID);
    const [{ valid, seconds }] = rows;
    if (valid === documents) return seconds;
    if (Date.now() > giveUpAt) throw new Error(`Only ${valid} of ${documents} documents became Valid`);
  }
}

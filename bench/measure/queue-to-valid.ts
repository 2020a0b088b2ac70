import type { Closing } from '../../standalone/program.js';
import type { BenchServer } from '../database/server.js';
import { cpuSecondsOf } from '../processes/cpu-time.js';
import { startDispatcher, startSimulator } from '../processes/dispatcher.js';
import { fillQueue } from '../queue/fill-queue.js';
import type { QueueSite } from './queue.js';
import { setTimeout as wait } from 'node:timers/promises';

/** From the queue to `Valid`, through a dispatcher and the simulator, each a process of its own. */
export interface QueueToValid {
  readonly documents: number;
  /** From the first claim to the last outcome, by the database's clock. */
  readonly documentsPerSecond: number;
  /** Of each process, from the dispatcher's start to its end. */
  readonly cpuSeconds: Readonly<Record<'dispatcher' | 'PostgreSQL' | 'simulator', number>>;
}

const DOCUMENTS = 20_000;
const LOOK_MS = 500;
const SECONDS_MAX = 120;

const COUNT_VALID = /* sql */ `
SELECT count(*) FILTER (WHERE to_state = 'valid')::integer AS valid,
       extract(epoch FROM max(at) - min(at))::float8 AS seconds
  FROM status_event`;

export async function measureQueueToValid(
  closing: Closing,
  server: BenchServer,
  { database, tenantIds }: QueueSite,
): Promise<QueueToValid> {
  await fillQueue(database.superuser, { tenantIds, documents: DOCUMENTS, haveBytes: false });
  const simulator = await startSimulator(closing, server.directory);
  const postgresBefore = await cpuSecondsOf(server.processId);
  const simulatorBefore = await cpuSecondsOf(simulator.processId);
  const dispatcher = await startDispatcher(closing, {
    directory: server.directory,
    databaseUrl: database.dispatcherUrl,
    authorityUrl: simulator.url,
  });
  try {
    const giveUpAt = Date.now() + SECONDS_MAX * 1_000;
    for (;;) {
      await wait(LOOK_MS);
      const { rows } = await database.superuser.query<{ valid: number; seconds: number }>(COUNT_VALID);
      const [{ valid, seconds }] = rows;
      if (valid === DOCUMENTS) {
        return {
          documents: DOCUMENTS,
          documentsPerSecond: DOCUMENTS / seconds,
          cpuSeconds: {
            dispatcher: await cpuSecondsOf(dispatcher.processId),
            PostgreSQL: (await cpuSecondsOf(server.processId)) - postgresBefore,
            simulator: (await cpuSecondsOf(simulator.processId)) - simulatorBefore,
          },
        };
      }
      if (Date.now() > giveUpAt) throw new Error(`Only ${valid} of ${DOCUMENTS} documents became Valid`);
    }
  } finally {
    await dispatcher.stop();
    await simulator.stop();
  }
}

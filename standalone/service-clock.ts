import { Client } from 'pg';
import type { ClockFollower } from '../simulator/simulator.js';

const MS = 1_000;

/**
 * Opens the service's clock on a separate database connection. Only the simulator on the same machine may move
 * the clock.
 */
export async function openServiceClock(ownerUrl: string): Promise<ClockFollower> {
  const offsetMs = await withDatabase(ownerUrl, readOffsetMs);
  return {
    offsetMs,
    move: (aheadMs) =>
      withDatabase(ownerUrl, async (database) => {
        await database.query('UPDATE service_clock SET offset_seconds = $1', [aheadMs / MS]);
      }),
  };
}

async function readOffsetMs(database: Client): Promise<number> {
  const { rows } = await database.query<{ seconds: number }>('SELECT offset_seconds AS seconds FROM service_clock');
  return Math.round(rows[0].seconds * MS);
}

async function withDatabase<T>(ownerUrl: string, work: (database: Client) => Promise<T>): Promise<T> {
  const database = new Client({ connectionString: ownerUrl, application_name: 'einvoice-clock' });
  database.on('error', () => undefined);
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

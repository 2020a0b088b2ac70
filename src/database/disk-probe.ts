import type { DataSource } from 'typeorm';
import { isDiskFull } from '../errors/database-unavailable.js';

// Reads succeed even on a full disk, so the probe makes PostgreSQL spill a temporary file. It needs no
// table, right or WAL.
const LIMIT_MEMORY = `SELECT set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`;
const WRITE_TO_DISK = `SELECT count(*) FROM generate_series(1, $1::integer)`;

/** 140 kB, for a check every few seconds. */
export const SMALL_PROBE_ROWS = 10_000;
/** 14 MB, for a manual check that also detects a nearly full disk. */
export const LARGE_PROBE_ROWS = 1_000_000;

/** @throws the error of PostgreSQL (53100) if the disk is full */
export async function probeDisk(dataSource: DataSource, rows: number): Promise<void> {
  const probe = dataSource.transaction(async (tx) => {
    await tx.query<unknown[]>(LIMIT_MEMORY);
    await tx.query<unknown[]>(WRITE_TO_DISK, [rows]);
  });
  await probe.catch((error: unknown) => {
    // Other errors are inconclusive, such as a limit on temporary files.
    if (isDiskFull(error)) throw error;
  });
}

import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const RANDOM_BYTES_OF_ID = 16;
const IDS_AT_ONCE = 256;

const pool = new Uint8Array(RANDOM_BYTES_OF_ID * IDS_AT_ONCE);
let used = pool.length;

/**
 * Creates a UUIDv7. Requests random bytes for 256 ids at a time, because the system call dominates the cost.
 * @param at `created_at` of the row by the database's clock, so that a time range is an id range
 */
export function createId(at: Date): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + RANDOM_BYTES_OF_ID);
  used += RANDOM_BYTES_OF_ID;
  return uuidv7({ random, msecs: at.getTime() });
}

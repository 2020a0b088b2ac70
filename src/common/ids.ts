import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const RANDOM_BYTES_OF_ID = 16;
const IDS_AT_ONCE = 256;

const pool = new Uint8Array(RANDOM_BYTES_OF_ID * IDS_AT_ONCE);
let used = pool.length;

/**
 * A new UUIDv7 of that time, for the many rows of a batch: random bytes are asked of the system for a few hundred ids
 * together, since asking costs more than the rest of an id.
 * @param at the row's created_at, by the database's clock, so that a range of times is a range of ids
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

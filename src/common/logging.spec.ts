import fs, { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from './logging.js';
import { readMetrics } from './metrics.js';

const TENTH_MS = 100;
const WAIT_MS_MAX = 120_000;

function createLog(): { logger: ReturnType<typeof createLogger>; readLines: () => string[] } {
  const logFile = path.join(mkdtempSync(path.join(tmpdir(), 'log-')), 'service.log');
  const logger = createLogger({ level: 'info', logFile });
  return { logger, readLines: () => readFileSync(logFile, 'utf8').split('\n').slice(0, -1) };
}

describe('log writer', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('writes lines in order while earlier lines are being written', async () => {
    const { logger, readLines } = createLog();
    for (let round = 0; round < 50; round += 1) {
      for (let line = 0; line < 40; line += 1) logger.info({ round, line });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(readLines()).toHaveLength(2_000), WAIT_MS_MAX);
    expect(readLines().map((line) => (JSON.parse(line) as { round: number }).round)).toEqual(
      Array.from({ length: 2_000 }, (_, index) => Math.floor(index / 40)),
    );
  });

  it('counts lines dropped while a write hangs', async () => {
    const countDropped = async (): Promise<number> =>
      Number(/^einvoice_log_lines_dropped_total (\d+)$/m.exec(await readMetrics())?.[1]);
    const { logger } = createLog();
    const before = await countDropped();
    vi.spyOn(fs, 'write').mockImplementation(() => undefined);
    // Nine of these lines fit into 10 MB.
    for (let line = 0; line < 12; line += 1) logger.info({ text: 'x'.repeat(1_000_000) });
    expect((await countDropped()) - before).toBe(3);
  });

  it('does not write to the file without new lines', async () => {
    const { logger, readLines } = createLog();
    logger.info('the first');
    await vi.waitFor(() => expect(readLines()).toHaveLength(1), WAIT_MS_MAX);
    const writes = vi.spyOn(fs, 'write');
    vi.useFakeTimers();
    await vi.advanceTimersByTimeAsync(100 * TENTH_MS);
    expect(writes).not.toHaveBeenCalled();
    logger.info('the second');
    await vi.advanceTimersByTimeAsync(TENTH_MS);
    expect(writes).toHaveBeenCalledTimes(1);
  });
});

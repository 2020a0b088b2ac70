import { expect, describe, it } from 'vitest';
import { readFunctionFiles } from '../../src/database/migrations/baseline.js';
import { MovableClock9000000000000 } from '../../src/database/movable-clock.js';
import { migrate } from '../../src/processes/migrate.js';
import { createEmptyDatabase } from '../support/database.js';
import { startFileDatabase } from './file-database.js';

const FILES = readFunctionFiles();
const NAMES = FILES.map(({ name }) => name);

const own = await startFileDatabase(createEmptyDatabase);
await migrate(own.database.ownerUrl);

async function readAhead(): Promise<number> {
  const [{ seconds }] = await own.owner.query<{ seconds: number }[]>(
    'SELECT extract(epoch FROM service_now() - clock_timestamp())::float8 AS seconds',
  );
  return seconds;
}

describe('a migrated database', () => {
  it.each(FILES)('has the function $name as defined in its file', async ({ name, text }) => {
    const [{ body }] = await own.owner.query<{ body: string }[]>(
      `SELECT prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = $1`,
      [name],
    );
    const [head, inFile, rights] = text.split('$$');
    expect(body).toBe(inFile);
    expect(head).toMatch(new RegExp(String.raw`^(-- .*\n)+CREATE OR REPLACE FUNCTION ${name}\(`));
    const grant = String.raw`GRANT EXECUTE ON FUNCTION ${name} TO [\w, ]+;\n`;
    expect(rights).toMatch(new RegExp(String.raw`^;\n\nREVOKE ALL ON FUNCTION ${name} FROM PUBLIC;\n(${grant})?$`));
  });

  it('has no functions besides those of the files and triggers', async () => {
    const rows = await own.owner.query<{ name: string }[]>(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name).filter((name) => !NAMES.includes(name))).toEqual([
      'deliver_acceptance',
      'deliver_cancellation',
      'deliver_status_change',
      'end_verification',
      'forget_failure',
      'record_failure',
      'refuse_change',
    ]);
  });

  it('ignores the clock offset of tests', async () => {
    await own.owner.query('UPDATE service_clock SET offset_seconds = 3600');
    expect(await readAhead()).toBeLessThan(60);
  });

  it('accepts every function file with check_function_bodies on', async () => {
    for (const { text } of FILES) await own.owner.query(text);
  });

  it('applies the clock offset after the test migration', async () => {
    await own.owner.query('UPDATE service_clock SET offset_seconds = 3600');
    await migrate(own.database.ownerUrl, [MovableClock9000000000000]);
    expect(await readAhead()).toBeGreaterThan(3_540);
  });
});

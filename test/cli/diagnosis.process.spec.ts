import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildPrograms, type Program, REPOSITORY, startProgram } from '../support/program.js';

const TIMEOUT_MS = 120_000;

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  await buildPrograms();
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'diagnosis-'));
}, TIMEOUT_MS);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

function start(settings: Record<string, string>, ...words: string[]): Program {
  return startProgram([path.join(REPOSITORY, 'dist/standalone/cli.js'), ...words], { DATA_DIR: folder, ...settings });
}

it('doctor explains how to fix a wrong password in DATABASE_OWNER_URL', { timeout: TIMEOUT_MS }, async () => {
  const url = database.ownerUrl.replace(':test@', ':S3cret-word@');
  const doctor = start({ DATABASE_OWNER_URL: url, LOG_LEVEL: 'loud' }, 'doctor');
  expect(await doctor.ended).toEqual({ exitCode: 1, signal: null });
  expect(doctor.out).toMatch(/^settings +problem +LOG_LEVEL must be one of .* Correct LOG_LEVEL here/m);
  expect(doctor.out).toMatch(/^database +problem +DATABASE_OWNER_URL has a wrong user or password: .* Correct them/m);
  expect(doctor.output).not.toContain('S3cret-word');
  expect(doctor.error).toBe('2 problems found\n');
});

it('doctor runs in production without a database', { timeout: TIMEOUT_MS }, async () => {
  const doctor = start({ NODE_ENV: 'production' }, 'doctor', '--json');
  expect(await doctor.ended).toEqual({ exitCode: 1, signal: null });
  const { findings } = JSON.parse(doctor.out) as { findings: { check: string; result: string; found: string }[] };
  expect(findings.filter(({ result }) => result === 'problem')).toEqual([
    expect.objectContaining({
      check: 'settings',
      found: expect.stringContaining('DATABASE_OWNER_URL must be set in production') as string,
    }),
  ]);
});

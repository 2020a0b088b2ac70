import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRun } from './run.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-watchdog-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a run of the tests ends and is red, and its other files have run, when a file', { timeout: 120_000 }, () => {
  it.each([
    ['polls a promise without a turn of the event loop', 'spins', /spins\.fixture\.ts: it has blocked .*"polls a/],
    ['computes for ever', 'blocks', /blocks\.fixture\.ts: it has blocked its event loop for \d+ s, since "computes/],
    ['computes for ever in a hook', 'blocks-hook', /blocks-hook\.fixture\.ts: it has blocked its event loop/],
    ['waits for ever while it loads', 'never-loads', /never-loads\.fixture\.ts: it has not finished loading/],
  ])('%s', async (_, fixture, message) => {
    const run = startRun({ config: 'vitest', fixtures: [`${fixture}.`, 'passes.'], folder });
    const { exitCode } = await run.ended;
    expect(run.output).toMatch(message);
    expect(run.output).toContain('✓ test/support/fixtures/passes.fixture.ts');
    expect(exitCode).toBe(1);
  });
});

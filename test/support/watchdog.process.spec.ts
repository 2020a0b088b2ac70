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

describe('the watchdog of a test file', { timeout: 120_000 }, () => {
  it.each([
    ['polls a promise without returning to the event loop', 'spins', /spins\.fixture\.ts: it has blocked .*"polls a/],
    [
      'never stops computing',
      'blocks',
      /blocks\.fixture\.ts: it has blocked its event loop for \d+ s, since "computes/,
    ],
    ['never stops computing in a hook', 'blocks-hook', /blocks-hook\.fixture\.ts: it has blocked its event loop/],
    ['never finishes loading', 'never-loads', /never-loads\.fixture\.ts: it has not finished loading/],
  ])('fails only a file that %s', async (_, fixture, message) => {
    const run = startRun({ config: 'vitest', fixtures: [`${fixture}.`, 'passes.'], folder });
    const { exitCode } = await run.ended;
    expect(run.output).toMatch(message);
    expect(run.output).toContain('✓ test/support/fixtures/passes.fixture.ts');
    expect(exitCode).toBe(1);
  });
});

import { expect } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import type { TestService } from './service.js';

/** Runs `queue …` as an operator and returns its output. */
export async function runQueueCommand(
  service: TestService,
  ...words: string[]
): Promise<{ out: string; error: string }> {
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl };
  const ended = { out: '', error: '' };
  await runCli(readConfiguration('operator', environment), ['queue', ...words], {
    out: (text) => (ended.out += text),
    error: (text) => (ended.error += text),
  });
  return ended;
}

/** Entry of `queue show --json`. */
export interface ListedDoubt {
  readonly submissionId: string;
  readonly referenceIds: string[];
  readonly nextLookAt: string | null;
  readonly reason: string;
  readonly decisions: string[];
}

export async function readCallsInDoubt(service: TestService): Promise<ListedDoubt[]> {
  return (JSON.parse((await runQueueCommand(service, 'show', '--json')).out) as { doubts: ListedDoubt[] }).doubts;
}

/** Reads the only entry of `queue show` and asserts that there are no others. */
export async function readDoubt(service: TestService): Promise<ListedDoubt> {
  const doubts = await readCallsInDoubt(service);
  expect(doubts).toHaveLength(1);
  return doubts[0];
}

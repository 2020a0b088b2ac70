import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createTenant } from '../support/client.js';
import { NO_RATE_LIMITS } from '../support/no-rate-limits.js';
import { startApiProcess, startDispatcherProcess, startSimulatorProcess } from '../support/processes.js';
import { buildPrograms, type Program, startProgram } from '../support/program.js';
import { startFileService } from '../support/file-service.js';
import type { WireLogEntry } from '../support/service.js';
import { until } from '../support/until.js';
import { type Attack, ATTACKS } from './attacks.js';
import { Customers, type Phase } from './customers.js';

// Effect of one greedy or hostile client on others, with one API process and the default limits. The tests assert
// counts and only print times, because other programs share the machine.

// AFTER_SECONDS delays the measurement until the attacker has reached its limit.
const { ROUNDS = '1', PHASE_SECONDS = '3', AFTER_SECONDS = '0' } = process.env;
const CUSTOMERS = 5;
const HELD_POLLS_MAX = 200;
const LIMITED_MS_MAX = 60_000;

const service = await startFileService();
await buildPrograms();
const simulator = await startSimulatorProcess({ '--validation-delay-ms': '0', '--visibility-delay-ms': '0' });
const limited = Object.entries(service.settings).filter(([name]) => !(name in NO_RATE_LIMITS));
const settings = { ...Object.fromEntries(limited), AUTHORITY_SANDBOX_API_URL: simulator.url };
const api = await startApiProcess({
  ...settings,
  HELD_POLLS_MAX: String(HELD_POLLS_MAX),
  TRUSTED_PROXIES: '127.0.0.1',
});
const dispatcher = await startDispatcherProcess(settings);
afterAll(() => Promise.all([api, dispatcher, simulator].map((program) => program.stop())));

const customers = new Customers(
  api.url,
  await Promise.all(Array.from({ length: CUSTOMERS }, () => createTenant(service, { credits: 100_000 }))),
);

interface Round {
  readonly before: Phase;
  readonly during: Phase;
  /** Number of each response to the attacker. */
  readonly responses: Readonly<Record<string, number>>;
  readonly heldMost: number;
}

async function startAttack({ connections, isSilent, prepare }: Attack): Promise<Program> {
  const task = { url: api.url, connections, isSilent, requests: await prepare(service) };
  const taskFile = path.join(tmpdir(), 'attack.json');
  writeFileSync(taskFile, JSON.stringify(task));
  const attacker = startProgram([path.join(import.meta.dirname, 'attacker.mjs'), taskFile]);
  await attacker.printed('started');
  return attacker;
}

async function stopAttack(attacker: Program): Promise<Record<string, number>> {
  await attacker.stop();
  const [last = ''] = attacker.out.trim().split('\n').slice(-1);
  expect(attacker.error).toBe('');
  return JSON.parse(last) as Record<string, number>;
}

async function readHeld(): Promise<number> {
  const text = await (await fetch(api.metricsUrl)).text();
  return Number(/^einvoice_held_polls (\d+)$/m.exec(text)?.[1]);
}

async function play(attack: Attack): Promise<Round> {
  const phaseMs = Number(PHASE_SECONDS) * 1_000;
  const before = await customers.work(phaseMs);
  const attacker = await startAttack(attack);
  await wait(Number(AFTER_SECONDS) * 1_000);
  const during = await customers.work(phaseMs);
  const heldMost = await readHeld();
  if (attack.limitedBy !== null) await attacker.printed('limited', LIMITED_MS_MAX);
  const responses = await stopAttack(attacker);
  return { before, during, responses, heldMost };
}

function findAt(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? NaN;
}

/** Formats `p50 before → during, p99 before → during` as medians of the rounds. */
function describeTimes(rounds: readonly Round[], pick: (phase: Phase) => readonly number[]): string {
  const describeShare = (share: number): string =>
    [(round: Round) => round.before, (round: Round) => round.during]
      .map((choose) =>
        findAt(
          rounds.map((round) => findAt(pick(choose(round)), share)),
          0.5,
        ).toFixed(0),
      )
      .join(' → ');
  return `p50 ${describeShare(0.5)} ms, p99 ${describeShare(0.99)} ms`;
}

function report({ title }: Attack, rounds: readonly Round[]): void {
  const submits = describeTimes(rounds, ({ submitMs }) => submitMs);
  const polls = describeTimes(rounds, ({ pollMs }) => pollMs);
  const attacker = rounds.map(({ responses }) => JSON.stringify(responses)).join(' ');
  process.stdout.write(`${title}\n  submits ${submits}; polls ${polls}\n  attacker ${attacker}\n`);
}

function expectLimited({ limitedBy }: Attack, { responses, heldMost }: Round): void {
  const names = Object.keys(responses);
  expect(names.filter((name) => /^5|^no response/.test(name))).toEqual([]);
  if (limitedBy !== null) expect(names.filter((name) => limitedBy.test(name))).not.toEqual([]);
  expect(heldMost).toBeLessThanOrEqual(HELD_POLLS_MAX / 2);
}

it.each(ATTACKS.map((attack) => [attack.title, attack] as const))(
  'other organisations are served during %s',
  async (_, attack) => {
    const rounds: Round[] = [];
    for (let round = 0; round < Number(ROUNDS); round += 1) rounds.push(await play(attack));
    report(attack, rounds);
    for (const round of rounds) {
      expect([...round.before.refusals, ...round.during.refusals]).toEqual([]);
      expect(round.during.submitMs.length).toBeGreaterThan(0);
      expect(round.during.pollMs.length).toBeGreaterThan(0);
      expectLimited(attack, round);
    }
  },
  3_600_000,
);

/** Reads all pages, including documents of attackers. */
async function readWireLog(): Promise<WireLogEntry[]> {
  const entries: WireLogEntry[] = [];
  for (;;) {
    const response = await fetch(`${simulator.url}/_control/wire-log?after=${entries.at(-1)?.sequence ?? 0}`);
    const page = (await response.json()) as WireLogEntry[];
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

it('every accepted document of other organisations is valid and was sent once', async () => {
  const readOpen = async (): Promise<number> => {
    const [{ open }] = await service.owner.query<{ open: number }[]>(
      `SELECT count(*)::integer AS open FROM document_transaction
        WHERE reference_id LIKE 'OURS-%' AND authority_status IS DISTINCT FROM 'Valid'`,
    );
    return open;
  };
  await until('every document is valid', async () => (await readOpen()) === 0, 120_000);
  const sent = (await readWireLog()).map(({ number }) => number).filter((number) => number.startsWith('OURS-'));
  expect(customers.accepted.length).toBeGreaterThan(0);
  expect(sent.toSorted()).toEqual(customers.accepted.toSorted());
}, 180_000);

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runProgram } from '../../standalone/program.js';
import { asLine } from '../chaos/checks/verdict.js';
import { findingText } from '../chaos/report.js';
import { NoMachinesError } from './machines.js';
import { KIND_NAMES } from './rounds.js';
import { type FailoverOptions, findSlowKinds, readMedian, runFailover } from './run.js';

const USAGE = `Usage: npm run check -- failover [--short] [--rounds 20] [--only ${KIND_NAMES.join('|')}] [--seed N]`;
/** The first three kinds, which replace the primary. */
const SHORT_ROUNDS = 3;
const ROUNDS = 20;
const FINDINGS_SHOWN = 40;
const SEED_MAX = 2 ** 31 - 1;

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** `npm run check -- failover`: runs the service while its database servers fail (docs/reliability.md). */
await runProgram(async (closing) => {
  const { isShort, ...options } = readOptions(process.argv.slice(2));
  const startedAt = performance.now();
  const run = await runFailover(options, { dist, progress, closing }).catch((error: unknown) => {
    if (isShort && error instanceof NoMachinesError) return error.message;
    throw error;
  });
  // CI machines without network namespaces skip the check.
  if (typeof run === 'string') {
    print(`SKIPPED: no failover was tested. ${run}`);
    return 0;
  }
  const { rounds, findings, documents } = run;
  for (const kind of options.kinds) {
    const seconds = rounds.filter((round) => round.kind === kind).map((round) => round.seconds);
    if (seconds.length === 0) continue;
    const [median, most] = [readMedian(seconds), Math.max(...seconds)].map((value) => value.toFixed(1));
    print(`${kind}: ${seconds.length} rounds, accepted again after ${median} s (median), ${most} s at most`);
  }
  // A short run has too few rounds to judge times.
  const slow = isShort ? [] : findSlowKinds(rounds);
  for (const text of [...slow, ...findings.slice(0, FINDINGS_SHOWN).map(findingText)]) print(text);
  print(`${documents} documents acknowledged in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  print(asLine(findings));
  return findings.length + slow.length === 0 ? 0 : 1;
});

function readOptions(parameters: string[]): FailoverOptions & { readonly isShort: boolean } {
  const { values } = parseArgs({
    args: parameters,
    options: {
      short: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      seed: { type: 'string' },
    },
  });
  const isShort = values.short;
  const rounds = Number(values.rounds ?? (isShort ? SHORT_ROUNDS : ROUNDS));
  const seed = Number(values.seed ?? 1 + Math.floor(Math.random() * (SEED_MAX - 1)));
  const kinds = KIND_NAMES.filter((kind) => values.only === undefined || kind === values.only);
  const isWhole = [rounds, seed].every((value) => Number.isInteger(value) && value >= 1 && value <= SEED_MAX);
  if (!isWhole || kinds.length === 0) throw new Error(USAGE);
  progress(`seed ${seed}`);
  return { rounds, kinds, seed, isShort };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

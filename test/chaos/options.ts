import { parseArgs } from 'node:util';
import { RUN_NAMES, type RunName } from './faults/runs.js';

export interface ChaosOptions {
  /** Number of submitted documents, including resubmissions. */
  readonly documents: number;
  readonly faults: RunName;
  /** Number of SIGKILLs of API, dispatcher or PostgreSQL processes. `lost-responses` ignores it. */
  readonly kills: number;
  /** Seed of the faults, their times and the client requests. */
  readonly seed: number;
  readonly reportFile: string | null;
}

const USAGE = `Usage: npm run chaos -- [--documents 5000] [--kills 30] [--seed N] [--report FILE] [--faults ${RUN_NAMES.join('|')}]`;
const DOCUMENTS_MAX = 1_000_000;
const KILLS_MAX = 10_000;
const SEED_MAX = 2 ** 31 - 1;

/** @throws Error with the usage */
export function readOptions(parameters: readonly string[]): ChaosOptions {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        faults: { type: 'string', default: 'mixed' },
        documents: { type: 'string', default: '5000' },
        kills: { type: 'string', default: '30' },
        seed: { type: 'string' },
        report: { type: 'string' },
      },
    });
    return {
      faults: runNamed(values.faults),
      documents: number('documents', values.documents, DOCUMENTS_MAX),
      kills: number('kills', values.kills, KILLS_MAX),
      seed: number('seed', values.seed ?? String(1 + Math.floor(Math.random() * (SEED_MAX - 1))), SEED_MAX),
      reportFile: values.report ?? null,
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

function runNamed(text: string): RunName {
  const name = RUN_NAMES.find((known) => known === text);
  if (name === undefined) throw new Error(`--faults must be one of ${RUN_NAMES.join(', ')}, not "${text}"`);
  return name;
}

function number(name: string, text: string, maximum: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new Error(`--${name} must be a whole number from 1 to ${maximum}, not "${text}"`);
}

import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../standalone/program.js';
import type { Finding } from './checks/evidence.js';
import { asLine } from './checks/verdict.js';
import { mutate } from './mutants/copy.js';
import { type Mutant, MUTANTS } from './mutants/mutants.js';
import { Stage } from './mutants/stage.js';
import { findingText } from './report.js';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const FINDINGS_SHOWN = 3;

/**
 * `npm run check -- mutants`: are the checks worth anything? Every seeded bug must be found by its check in a run in which
 * the product as it is shows nothing.
 */
await runProgram(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const chosen = MUTANTS.filter(({ name }) => values.only === undefined || name === values.only);
  if (chosen.length === 0) throw new Error(`--only must be one of ${MUTANTS.map(({ name }) => name).join(', ')}`);
  let caught = 0;
  for (const mutant of chosen) if (await isCaught(mutant)) caught += 1;
  print(`${caught}/${chosen.length}`);
  print(`${caught} passed, ${chosen.length - caught} failed`);
  return caught === chosen.length ? 0 : 1;
});

async function isCaught(mutant: Mutant): Promise<boolean> {
  const build = await mutate(dist, mutant.patches);
  try {
    const [sound, mutated] = await Promise.all([findResult(mutant, dist), findResult(mutant, build.dist)]);
    if ('error' in sound || sound.findings.length > 0) {
      print(`${mutant.name}: the product without the bug does not come through:\n${formatResult(sound)}`);
      return false;
    }
    const isFound = 'findings' in mutated && mutated.findings.some(({ check }) => check === mutant.check);
    print(
      `${mutant.name}: ${isFound ? 'caught' : 'NOT CAUGHT'} by ${mutant.check} (${mutant.what})\n${formatResult(mutated)}`,
    );
    return isFound;
  } finally {
    await build.remove();
  }
}

type Result = { readonly findings: readonly Finding[] } | { readonly error: string };

async function findResult(mutant: Mutant, build: string): Promise<Result> {
  const stage = await Stage.open(build, mutant);
  try {
    await mutant.run(stage);
    return await stage.judge();
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    await stage.close();
  }
}

function formatResult(result: Result): string {
  if ('error' in result) return `  ${result.error}`;
  const shown = result.findings.slice(0, FINDINGS_SHOWN).map((finding) => `  ${findingText(finding)}`);
  return [`  ${asLine(result.findings)}`, ...shown].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

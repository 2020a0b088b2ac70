import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../standalone/program.js';
import { asLine } from '../chaos/checks/verdict.js';
import { Cluster } from '../chaos/cluster/cluster.js';
import { findingText } from '../chaos/report.js';
import { runSuite } from '../sandbox-suite/run-suite.js';
import { insertTenant } from '../support/tenants.js';
import { CHAOS_MUTANTS, type ChaosMutant } from './chaos-mutants.js';
import { mutate, type Mutant } from './patch.js';
import { Stage } from './stage.js';
import { SUITE_MUTANTS } from './suite-mutants.js';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const FINDINGS_SHOWN = 3;
const OUTPUT_SHOWN = 3_000;
const CREDITS = 1_000;
/** Fewer credits than one request may need. */
const SECOND_CREDITS = 50;

/** Result of the checks of a build. */
interface Result {
  /** Names of the failed checks. */
  readonly failed: readonly string[];
  readonly text: string;
}

/**
 * `npm run check -- mutants`: seeds one bug at a time into a copy of the build. The bug's check must fail with the bug
 * and pass without it.
 */
await runProgram(async (closing) => {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const isChosen = ({ name }: Mutant): boolean => values.only === undefined || name === values.only;
  const [ofChaos, ofSuite] = [CHAOS_MUTANTS.filter(isChosen), SUITE_MUTANTS.filter(isChosen)];
  const chosen = ofChaos.length + ofSuite.length;
  if (chosen === 0) {
    throw new Error(`--only must be one of ${[...CHAOS_MUTANTS, ...SUITE_MUTANTS].map(({ name }) => name).join(', ')}`);
  }
  let caught = 0;
  for (const mutant of ofChaos) if (await isCaught(mutant, (build) => runChaos(mutant, build))) caught += 1;
  if (ofSuite.length > 0) {
    const cluster = await startSuiteCluster();
    await closing.add({ close: () => cluster.destroy() });
    for (const mutant of ofSuite) if (await isCaught(mutant, (build) => runCheck(cluster, mutant, build))) caught += 1;
  }
  print(`${caught} passed, ${chosen - caught} failed`);
  return caught === chosen ? 0 : 1;
});

async function isCaught(mutant: Mutant, run: (build: string) => Promise<Result>): Promise<boolean> {
  const build = await mutate(dist, mutant.patches);
  try {
    const [sound, mutated] = await Promise.all([run(dist), run(build.dist)].map(describeError));
    if (sound.failed.length > 0) {
      print(`${mutant.name}: "${mutant.check}" fails without the bug:\n${sound.text}`);
      return false;
    }
    const isFound = mutated.failed.includes(mutant.check);
    print(
      `${mutant.name}: ${isFound ? 'caught' : 'NOT CAUGHT'} by "${mutant.check}" (${mutant.what})\n${mutated.text}`,
    );
    return isFound;
  } finally {
    await build.remove();
  }
}

async function describeError(running: Promise<Result>): Promise<Result> {
  return running.catch((error: unknown) => ({ failed: ['error'], text: `  ${String(error)}` }));
}

async function runChaos(mutant: ChaosMutant, build: string): Promise<Result> {
  const stage = await Stage.open(build, mutant);
  try {
    await mutant.run(stage);
    const { findings } = await stage.judge();
    const shown = findings.slice(0, FINDINGS_SHOWN).map((finding) => `  ${findingText(finding)}`);
    return { failed: findings.map(({ check }) => check), text: [`  ${asLine(findings)}`, ...shown].join('\n') };
  } finally {
    await stage.close();
  }
}

function startSuiteCluster(): Promise<Cluster> {
  return Cluster.start({
    dist,
    apis: 1,
    dispatchers: 1,
    times: { deadline: 2, lease: 3, grace: 2, secondLookup: 1 },
    rateFactor: 0,
    simulator: { validationDelayMs: 300, visibilityDelayMs: 0, searchLagMs: 0, lateAnswerMs: 30_000 },
  });
}

/** Runs one check of the sandbox suite with two organisations. */
async function runCheck(cluster: Cluster, { name, check }: Mutant, build: string): Promise<Result> {
  const { url, program } = await cluster.addApi(build);
  const owner = await cluster.connect();
  const first = await insertTenant(owner, { credits: CREDITS });
  const second = await insertTenant(owner, { credits: SECOND_CREDITS });
  await owner.end();
  const junit = path.join(cluster.directory, `${name}-${first.tenantId}.xml`);
  const run = await runSuite({
    baseUrl: url,
    apiKey: first.apiKey,
    secondKey: second.apiKey,
    junit,
    words: ['--only', check],
  });
  await program.end();
  const hasFailed = run.exitCode !== 0 || run.checks.some((each) => each.hasFailed);
  const hasCheckFailed = run.checks.some((each) => each.hasFailed && each.title.includes(check));
  const failed = hasCheckFailed ? [check] : hasFailed ? ['error'] : [];
  return { failed, text: hasCheckFailed ? '' : `${run.out.slice(-OUTPUT_SHOWN)}${run.error}` };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../standalone/program.js';
import { Cluster } from '../chaos/cluster/cluster.js';
import { mutate } from '../chaos/mutants/copy.js';
import { insertTenant } from '../support/tenants.js';
import { runSuite, type SuiteRun } from './run-suite.js';
import { type SeededBug, SEEDED_BUGS } from './seeded-bugs.js';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const CREDITS = 1_000;
/** Fewer than a request may need. */
const SECOND_CREDITS = 50;
const BUGS_AT_ONCE = 2;
const OUTPUT_SHOWN = 3_000;

/**
 * `npm run check -- sandbox-mutants`: is the sandbox suite worth anything? One cluster has an API of the product as it is,
 * for which every check must hold, and for each seeded bug an API that has it: the bug's check must then fail.
 */
await runProgram(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const chosen = SEEDED_BUGS.filter(({ name }) => values.only === undefined || name === values.only);
  if (chosen.length === 0) throw new Error(`--only must be one of ${SEEDED_BUGS.map(({ name }) => name).join(', ')}`);
  const cluster = await Cluster.start({
    dist,
    apis: 1,
    dispatchers: 1,
    times: { deadline: 2, lease: 3, grace: 2, secondLookup: 1 },
    rateFactor: 0,
    simulator: { validationDelayMs: 300, visibilityDelayMs: 0, searchLagMs: 0, lateAnswerMs: 30_000 },
  });
  try {
    if (!(await isSound(cluster))) return 1;
    const waiting = [...chosen];
    let caught = 0;
    const work = async (): Promise<void> => {
      for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift())
        if (await isCaught(cluster, bug)) caught += 1;
    };
    await Promise.all(Array.from({ length: BUGS_AT_ONCE }, work));
    print(`${caught} passed, ${chosen.length - caught} failed`);
    return caught === chosen.length ? 0 : 1;
  } finally {
    await cluster.destroy();
  }
});

/** A check that fails without a bug shows nothing with one. */
async function isSound(cluster: Cluster): Promise<boolean> {
  const run = await play(cluster, { name: 'sound', url: cluster.apis[0].url });
  const held = run.checks.filter(({ hasFailed, isSkipped }) => !hasFailed && !isSkipped).length;
  if (run.exitCode === 0) print(`sound: ${held} checks held`);
  else print(`sound: the product without a bug does not come through:\n${run.out.slice(-OUTPUT_SHOWN)}${run.error}`);
  return run.exitCode === 0;
}

async function isCaught(cluster: Cluster, bug: SeededBug): Promise<boolean> {
  const build = await mutate(dist, bug.patches);
  try {
    const { url, program } = await cluster.addApi(build.dist);
    const run = await play(cluster, { name: bug.name, url, words: ['--only', bug.check] });
    await program.end();
    const hasFailed = run.checks.some((check) => check.hasFailed && check.title.includes(bug.check));
    const isFound = run.exitCode === 1 && hasFailed;
    print(`${bug.name}: ${isFound ? 'caught' : 'NOT CAUGHT'} by "${bug.check}" (${bug.what})`);
    if (!isFound) print(`${run.out.slice(-OUTPUT_SHOWN)}${run.error}`);
    return isFound;
  } catch (error) {
    print(`${bug.name}: ${String(error)}`);
    return false;
  } finally {
    await build.remove();
  }
}

/** Two organisations for each run: one counts the credits of the other. */
async function play(
  cluster: Cluster,
  { name, url, words = [] }: { name: string; url: string; words?: readonly string[] },
): Promise<SuiteRun> {
  const owner = await cluster.connect();
  const first = await insertTenant(owner, { credits: CREDITS });
  const second = await insertTenant(owner, { credits: SECOND_CREDITS });
  await owner.end();
  const junit = path.join(cluster.directory, `${name}.xml`);
  const run = await runSuite({ baseUrl: url, apiKey: first.apiKey, secondKey: second.apiKey, junit, words });
  await rm(junit, { force: true });
  return run;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

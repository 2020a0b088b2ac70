import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runProgram } from '../../standalone/program.js';
import { asLine } from '../chaos/checks/verdict.js';
import { findingText } from '../chaos/report.js';
import { buildCommit, previousCommit, renewPreviousCommit } from './previous-build.js';
import { runUpdate } from './update.js';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const repository = path.dirname(dist);

/**
 * `npm run check -- update`: this build takes over from the one that was landed last, on its database and under its load,
 * and then that one from this, and no client notices. `-- --renew` records main's commit as the one that was landed
 * last.
 */
await runProgram(async (closing) => {
  const { values } = parseArgs({ options: { renew: { type: 'boolean' } } });
  if (values.renew === true) {
    print(`The previous build is ${await renewPreviousCommit(repository)} from now on: commit that`);
    return 0;
  }
  const { commit, isHere } = await previousCommit(repository);
  if (!isHere) {
    print(
      `SKIPPED: this clone does not have ${commit}, the build that was landed last, so nobody has seen an update from it ` +
        `under load. To have it checked: git fetch --unshallow (or git fetch origin ${commit}), and run this again.`,
    );
    return 0;
  }
  progress(`building ${commit.slice(0, 7)}`);
  const previous = await buildCommit(repository, commit);
  await closing.add({ close: () => previous.remove() });
  const { findings, errors, documents } = await runUpdate({ dist, previous, progress, closing });
  for (const finding of findings) print(findingText(finding));
  for (const error of errors) print(error);
  print(
    `${documents} documents from ${commit.slice(0, 7)} to this build and back: ${asLine(findings)} errors ${errors.length}`,
  );
  return findings.length + errors.length === 0 ? 0 : 1;
});

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** On standard error: standard output is for the result. */
function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

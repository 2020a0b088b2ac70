import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../standalone/program.js';
import { readOptions } from './options.js';
import { asJson, asText } from './report.js';
import { runChaos } from './run.js';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** `npm run chaos`: runs the service under random faults (docs/reliability.md). */
await runProgram(async (closing) => {
  const options = readOptions(process.argv.slice(2));
  progress(`seed ${options.seed}`);
  const run = await runChaos(options, { dist, progress, closing });
  process.stdout.write(`${asText(run)}\n`);
  if (options.reportFile !== null) await writeFile(options.reportFile, asJson(run));
  return run.verdict.findings.length === 0 ? 0 : 1;
});

function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

// Runs the model of the ledger at a size of choice: npm run check:ledger -- --runs 2000 [--seed 7].
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '2000' }, seed: { type: 'string' } } });
const { status } = spawnSync('npx', ['vitest', 'run', 'test/credits/model.spec.ts'], {
  stdio: 'inherit',
  env: { ...process.env, LEDGER_RUNS: values.runs, ...(values.seed === undefined ? {} : { LEDGER_SEED: values.seed }) },
});
process.exitCode = status ?? 1;

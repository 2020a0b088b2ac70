// Starts the suite from its TypeScript sources, so that a clean clone needs only `npm ci`.
import path from 'node:path';
import { runnerImport } from 'vite';

const main = path.join(import.meta.dirname, 'main.ts');
const { module } = await runnerImport(main, { configFile: false, logLevel: 'error' });
process.exitCode = await module.main(process.argv.slice(2), process.env);

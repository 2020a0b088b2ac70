import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { createTenant } from '../support/client.js';
import { today } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { GENERATORS } from './generators.js';

// Generates clients from openapi.json in a separate folder, compiles them and calls the service with them.

const run = promisify(execFile);
const MODULES = path.resolve('node_modules');
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    skipLibCheck: true,
    noUncheckedIndexedAccess: true,
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'nodenext',
    types: ['node'],
    outDir: 'dist',
  },
  include: ['*.ts', 'client'],
};

const service = await startFileService();
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

it.each(GENERATORS)(
  'generates a strict client for $name that requires a buyer and a key and distinguishes errors',
  async ({ generate, program }) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'einvoice-client-'));
    folders.push(folder);
    await symlink(MODULES, path.join(folder, 'node_modules'));
    await generate(path.resolve('openapi.json'), folder, service.url);
    await Promise.all([
      writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' })),
      writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG)),
      writeFile(path.join(folder, 'program.ts'), program),
    ]);
    const compiled = await run(path.join(MODULES, '.bin/tsc'), ['-p', '.'], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe('');

    const { apiKey } = await createTenant(service, { credits: 1 });
    const env = { ...process.env, BASE_URL: service.url, API_KEY: apiKey, TODAY: today() };
    const { stdout } = await run(process.execPath, ['dist/program.js'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual({
      payable: 100,
      submissionBatchId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      shortBy: 1,
    });
  },
);

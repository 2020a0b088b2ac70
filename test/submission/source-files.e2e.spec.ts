import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { accept, createTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

/** The measured number of files, plus one for a new connection on a slow machine. Lower it after merging files. */
const FILES_MAX = 72;

/** The first submits fill the caches for the API key and the tenant. On a slow machine, a cache entry may expire. */
const SUBMITS = 6;

const SOURCE = /\/(src\/.+\.ts)$/;
const ARCHITECTURE = new URL('../../docs/architecture.md', import.meta.url);
const STEP = /^\d\. \[[^\]]+\]\(\.\.\/(src\/[^)]+)\)/gm;

const service = await startFileService();

describe('accepted invoice', () => {
  let files: string[];

  beforeAll(async () => {
    files = await measureFiles();
    process.stdout.write(`Source files of an accepted invoice: ${files.length}\n  ${files.join('\n  ')}\n`);
  });

  it(`runs named functions from at most ${FILES_MAX} source files`, () => {
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(FILES_MAX);
  });

  it('passes through the eight files listed in docs/architecture.md#a-submit', () => {
    const steps = [...readFileSync(ARCHITECTURE, 'utf8').matchAll(STEP)].map(([, file]) => file);
    expect(steps).toHaveLength(8);
    expect(files).toEqual(expect.arrayContaining(steps));
  });
});

/** Returns the shortest list of several submits. The API runs in this process without loops. */
async function measureFiles(): Promise<string[]> {
  const tenant = await createTenant(service);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const lists: string[][] = [];
  for (let submit = 0; submit < SUBMITS; submit += 1) {
    // The counters restart whenever they are read.
    await session.post('Profiler.takePreciseCoverage');
    await accept(service, tenant, [invoice()]);
    lists.push(await listExecutedFiles(session));
  }
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  return lists.reduce((shortest, list) => (list.length < shortest.length ? list : shortest));
}

async function listExecutedFiles(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const executed = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0),
  );
  return executed.flatMap(({ url }) => SOURCE.exec(url)?.[1] ?? []).sort();
}

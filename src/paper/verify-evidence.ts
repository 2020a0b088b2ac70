import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { MANIFEST, parseManifest } from './manifest.js';

// Far larger than the manifest of the largest evidence ZIP.
const MANIFEST_BYTES_MAX = 64 * 1_024 * 1_024;

export interface EvidenceProblem {
  readonly path: string;
  readonly problem: string;
}

export interface EvidenceReport {
  /** Number of files that match the manifest. */
  readonly intact: number;
  readonly problems: readonly EvidenceProblem[];
}

/**
 * Compares an evidence ZIP with its manifest. All listed files must be unchanged, and no others may exist.
 * @throws Error if the file is not a readable ZIP
 */
export async function verifyEvidence(file: string): Promise<EvidenceReport> {
  const zip = await openPromise(file, { autoClose: false });
  try {
    const entries = await listEntries(zip);
    const manifest = entries.find(({ fileName }) => fileName === MANIFEST);
    if (manifest === undefined) return reportManifest('is missing: this is not a complete evidence ZIP');
    const hashes = await readManifest(zip, manifest);
    if (hashes === null) return reportManifest('cannot be read as a manifest');
    return await compare(zip, { entries, manifest }, hashes);
  } finally {
    zip.close();
  }
}

function reportManifest(problem: string): EvidenceReport {
  return { intact: 0, problems: [{ path: MANIFEST, problem }] };
}

async function listEntries(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

async function readManifest(zip: ZipFile, entry: Entry): Promise<Map<string, string> | null> {
  if (entry.uncompressedSize > MANIFEST_BYTES_MAX) return null;
  try {
    return parseManifest((await buffer(await zip.openReadStreamPromise(entry))).toString('utf8'));
  } catch {
    return null;
  }
}

async function compare(
  zip: ZipFile,
  { entries, manifest }: { entries: readonly Entry[]; manifest: Entry },
  hashes: ReadonlyMap<string, string>,
): Promise<EvidenceReport> {
  const problems: EvidenceProblem[] = [];
  const seen = new Set<string>([MANIFEST]);
  for (const entry of entries) {
    const { fileName: path } = entry;
    if (entry === manifest) continue;
    const problem = seen.has(path) ? 'is in the ZIP more than once' : await findProblem(zip, entry, hashes.get(path));
    seen.add(path);
    if (problem !== null) problems.push({ path, problem });
  }
  const missing = [...hashes.keys()].filter((path) => !seen.has(path));
  problems.push(...missing.map((path) => ({ path, problem: 'is missing' })));
  const wrong = new Set(problems.map(({ path }) => path));
  return { intact: [...hashes.keys()].filter((path) => !wrong.has(path)).length, problems };
}

async function findProblem(zip: ZipFile, entry: Entry, expected: string | undefined): Promise<string | null> {
  if (expected === undefined) return 'is not in the manifest';
  const found = await computeHash(zip, entry);
  if (found === null) return 'cannot be read: its bytes have changed';
  return found === expected ? null : `has changed: its SHA-256 is ${found}, and the manifest states ${expected}`;
}

async function computeHash(zip: ZipFile, entry: Entry): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) hash.update(chunk as Buffer);
  } catch {
    return null;
  }
  return hash.digest('hex');
}

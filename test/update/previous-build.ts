import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const RECORD = 'test/update/previous-build.json';
const OUTPUT_BYTES_MAX = 10_000_000;

/** The build that was landed last, out of the project's own history. */
export interface PreviousBuild {
  readonly commit: string;
  readonly dist: string;
  remove(): Promise<void>;
}

/** The recorded commit; and whether this clone has it. */
export async function previousCommit(repository: string): Promise<{ commit: string; isHere: boolean }> {
  const { commit } = JSON.parse(await readFile(path.join(repository, RECORD), 'utf8')) as { commit: string };
  const isHere = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repository }).then(
    () => true,
    () => false,
  );
  return { commit, isHere };
}

/** Records what is on main now. @returns its commit */
export async function renewPreviousCommit(repository: string): Promise<string> {
  const { stdout } = await run('git', ['rev-parse', '--verify', 'origin/main^{commit}'], { cwd: repository });
  const commit = stdout.trim();
  await writeFile(path.join(repository, RECORD), `${JSON.stringify({ commit }, null, 2)}\n`);
  return commit;
}

/** Builds a commit in its own folder; its dependencies are this checkout's when they are the same. */
export async function buildCommit(repository: string, commit: string): Promise<PreviousBuild> {
  const folder = await mkdtemp(path.join(tmpdir(), 'einvoice-previous-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const inFolder = { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX };
  try {
    const archive = path.join(folder, 'source.tar');
    await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: repository });
    await run('tar', ['-xf', archive], inFolder);
    const locks = [repository, folder].map((root) => readFile(path.join(root, 'package-lock.json'), 'utf8'));
    const [ours, theirs] = await Promise.all(locks);
    const modules = path.join(repository, 'node_modules');
    if (ours === theirs) await symlink(modules, path.join(folder, 'node_modules'));
    else await run('npm', ['ci', '--no-audit', '--no-fund'], inFolder);
    // As its programs are built when npm starts them: whether a landed commit has the right types is no question of ours.
    await run(process.execPath, ['scripts/transpile.mjs'], inFolder);
    return { commit, dist: path.join(folder, 'dist'), remove };
  } catch (error) {
    await remove();
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`The previous build ${commit} could not be built:\n${stdout}${stderr || String(error)}`, {
      cause: error,
    });
  }
}

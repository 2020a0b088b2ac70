import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const STATE = 0;
const START_TIME = 19;

/**
 * Claims a folder for this process until it is released or the process is gone.
 * @returns what releases it
 * @throws Error when a living process has it
 */
export function claimFolder(folder: string): () => void {
  const file = path.join(folder, 'owner');
  const claim = (): void => writeFileSync(file, identifyProcess(process.pid), { flag: 'wx', mode: 0o600 });
  try {
    claim();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const owner = readFileSync(file, 'utf8');
    const processId = Number(owner.split(' ')[0]);
    if (isAlive(processId) && owner === identifyProcess(processId)) {
      throw new Error(`The simulator's data in ${folder} are in use by process ${processId}: stop it first`, {
        cause: error,
      });
    }
    rmSync(file, { force: true });
    claim();
  }
  return () => rmSync(file, { force: true });
}

/** The number alone may be somebody else's by now, as in a container that starts again. */
function identifyProcess(processId: number): string {
  return `${processId} ${readKernelFields(processId)[START_TIME] ?? ''}`;
}

/** What follows the name in the kernel's line about a process; nothing where that is not Linux. */
function readKernelFields(processId: number): string[] {
  try {
    return readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}

function isAlive(processId: number): boolean {
  // A killed process keeps its number until its parent asks for its end, which the first process of a container may never do.
  if (readKernelFields(processId)[STATE] === 'Z') return false;
  try {
    return processId > 0 && process.kill(processId, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

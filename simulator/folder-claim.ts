import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const STATE = 0;
const START_TIME = 19;

/**
 * Locks a folder for this process until the lock is released or the process exits.
 * @returns the function that releases the lock
 * @throws Error if another running process holds the lock
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

/** Combines pid and start time, because another process may reuse the pid, for example after a container restart. */
function identifyProcess(processId: number): string {
  return `${processId} ${readKernelFields(processId)[START_TIME] ?? ''}`;
}

/** Returns the fields after the process name in `/proc/PID/stat`, or an empty list on other systems than Linux. */
function readKernelFields(processId: number): string[] {
  try {
    return readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}

function isAlive(processId: number): boolean {
  // A killed process stays a zombie until its parent reaps it, and the init process of a container may never do so.
  if (readKernelFields(processId)[STATE] === 'Z') return false;
  try {
    return processId > 0 && process.kill(processId, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

import { readdir, readFile } from 'node:fs/promises';

// USER_HZ, which every Linux on the machines that Node runs on has.
export const TICKS_PER_SECOND = 100;
const NANOSECONDS_PER_SECOND = 1e9;
const READS_MAX = 10;

interface ProcessTimes {
  readonly parentId: number;
  /** Its own, in ticks, which are coarse for a short run. */
  readonly ownSeconds: number;
  /** Of its children that it has waited for. */
  readonly endedSeconds: number;
}

/**
 * CPU time of a process and those that it started, ended ones included, in seconds; NaN where the system does not tell.
 */
export async function readCpuSeconds(processId: number): Promise<number> {
  for (let read = 1; ; read += 1) {
    const before = await readProcessTimes(processId);
    if (before === null) return Number.NaN;
    const living = await Promise.all([processId, ...(await listChildren(processId))].map(readOwnSeconds));
    const after = await readProcessTimes(processId);
    // A child that ended meanwhile may have been counted with neither the living nor the ended ones.
    if (after?.endedSeconds === before.endedSeconds || read === READS_MAX) {
      return living.reduce((sum, seconds) => sum + seconds, before.endedSeconds);
    }
  }
}

async function listChildren(processId: number): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const ids = names.map(Number).filter(Number.isInteger);
  const times = await Promise.all(ids.map(readProcessTimes));
  return ids.filter((_, index) => times[index]?.parentId === processId);
}

/** CPU time of a process and of all that it has started, directly or not, in seconds; in ticks. */
export async function readTreeCpuSeconds(processId: number): Promise<number> {
  const names = await readdir('/proc').catch(() => []);
  const ids = names.map(Number).filter(Number.isInteger);
  const processes = await Promise.all(ids.map(async (id) => ({ id, times: await readProcessTimes(id) })));
  const sum = (id: number): number =>
    processes
      .filter(({ id: one, times }) => one === id || times?.parentId === id)
      .reduce((seconds, { id: one, times }) => {
        if (times === null) return seconds;
        return seconds + (one === id ? times.ownSeconds + times.endedSeconds : sum(one));
      }, 0);
  return sum(processId);
}

/** Of all threads, in nanoseconds where the kernel keeps them. */
async function readOwnSeconds(processId: number): Promise<number> {
  const folder = `/proc/${processId}/task`;
  const threads = await readdir(folder).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8').catch(() => '')),
  );
  const nanoseconds = texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0);
  if (nanoseconds > 0) return nanoseconds / NANOSECONDS_PER_SECOND;
  return (await readProcessTimes(processId))?.ownSeconds ?? 0;
}

async function readProcessTimes(processId: number): Promise<ProcessTimes | null> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // After the name, which may hold spaces: state, parent, …; the four times are fields 14 to 17 of the whole.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  return { parentId: Number(fields[1]), ownSeconds: user + system, endedSeconds: endedUser + endedSystem };
}

import { readdir, readFile } from 'node:fs/promises';

// USER_HZ is 100 on all Linux systems that Node supports.
export const TICKS_PER_SECOND = 100;
const NANOSECONDS_PER_SECOND = 1e9;
const READS_MAX = 10;

interface ProcessTimes {
  readonly parentId: number;
  /** CPU time of the process itself in units of 10 ms. */
  readonly ownSeconds: number;
  /** CPU time of exited children. */
  readonly endedSeconds: number;
}

/** Returns the CPU seconds of a process and its descendants, including exited ones. NaN if unknown. */
export async function readCpuSeconds(processId: number): Promise<number> {
  for (let read = 1; ; read += 1) {
    const before = await readProcessTimes(processId);
    if (before === null) return Number.NaN;
    const seconds = await readTreeSeconds(processId);
    const after = await readProcessTimes(processId);
    // A child that exits during the read may be counted neither as running nor as exited.
    if (after?.endedSeconds === before.endedSeconds || read === READS_MAX) return seconds;
  }
}

async function readTreeSeconds(rootId: number): Promise<number> {
  const ids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const read = await Promise.all(ids.map(async (id) => [id, await readProcessTimes(id)] as const));
  const processes = read.flatMap(([id, times]) => (times === null ? [] : [{ id, ...times }]));
  const sum = async (id: number): Promise<number> => {
    const ended = processes.find((one) => one.id === id)?.endedSeconds ?? 0;
    const children = processes.filter(({ parentId }) => parentId === id).map((child) => sum(child.id));
    return (await Promise.all([readOwnSeconds(id), ...children])).reduce((total, seconds) => total + seconds, ended);
  };
  return sum(rootId);
}

/** Returns the CPU time of all threads, in nanosecond resolution if the kernel provides it. */
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
  // Skips the program name, which may contain spaces. The four times are fields 14 to 17 of the line.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  return { parentId: Number(fields[1]), ownSeconds: user + system, endedSeconds: endedUser + endedSystem };
}

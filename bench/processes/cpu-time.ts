import { readdir, readFile } from 'node:fs/promises';

// USER_HZ, which every Linux on the machines that Node runs on has.
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parentId: number;
  readonly ticks: number;
}

/** CPU time of a process and those that it started, ended ones included, in seconds; NaN where the system does not tell. */
export async function cpuSecondsOf(processId: number): Promise<number> {
  const names = await readdir('/proc').catch(() => []);
  const ids = names.map(Number).filter(Number.isInteger);
  const entries = await Promise.all(ids.map(async (id) => [id, await timesOf(id)] as const));
  const times = new Map(entries.filter((entry): entry is [number, ProcessTimes] => entry[1] !== null));
  const own = times.get(processId);
  if (own === undefined) return Number.NaN;
  const children = [...times.values()].filter(({ parentId }) => parentId === processId);
  return [own, ...children].reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
}

/** Its own time, and that of its children that it has waited for. */
async function timesOf(processId: number): Promise<ProcessTimes | null> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // After the name, which may hold spaces: state, parent, …; the four times are fields 14 to 17 of the whole.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parentId: Number(fields[1]), ticks: fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0) };
}

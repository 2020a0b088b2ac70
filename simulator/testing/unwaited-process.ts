import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 5;

/** A Linux process whose parent never reaps it, like the init process of some containers. */
export interface UnwaitedProcess {
  readonly id: number;
  /** Returns the fields after the process name in `/proc/PID/stat`, starting with the state. */
  fields(): string[];
  /** Kills the process and resolves when it is a zombie. */
  kill(): Promise<void>;
  /** Kills the parent, which frees the pid. */
  end(): void;
}

/** @param program executable that is started with the single argument `100`, such as `sleep` */
export async function startUnwaited(program: string): Promise<UnwaitedProcess> {
  // `exec` replaces the shell by a program that never waits for children.
  const parent = spawn('sh', ['-c', '"$0" 100 & echo $!; exec sleep 100', program]);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const id = Number(line.toString());
  const fields = (): string[] => readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const kill = async (): Promise<void> => {
    process.kill(id, 'SIGKILL');
    while (fields()[0] !== 'Z') await delay(POLL_MS);
  };
  return { id, fields, kill, end: () => parent.kill('SIGKILL') };
}

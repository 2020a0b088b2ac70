import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 5;

/** A process of Linux whose parent never waits for it, as the first process of some containers never does. */
export interface UnwaitedProcess {
  readonly id: number;
  /** What `/proc` says behind its name, its state first. */
  fields(): string[];
  /** Kills it, and resolves when nothing but its number is left. */
  kill(): Promise<void>;
  /** Ends its parent, so that its number is free. */
  end(): void;
}

/** @param program a file that is started with `100` as its one word, such as `sleep` */
export async function startUnwaited(program: string): Promise<UnwaitedProcess> {
  // The shell becomes a program that waits for no child.
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

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type Program, startCommand } from '../support/program.js';

const GONE_MS_MAX = 10_000;
const POLL_MS = 20;

/** Network namespaces are not available. */
export class NoMachinesError extends Error {
  constructor(cause?: unknown) {
    super('The machines need network namespaces: run this as root on Linux', { cause });
  }
}

/** Network of machines, each of which is a network namespace on one bridge. This host has the first address. */
export class Network {
  readonly machines: readonly Machine[];
  private readonly bridge: string;

  /** @throws NoMachinesError */
  constructor(count: number) {
    const id = process.pid;
    this.bridge = `ev${id}`;
    const subnet = `10.213.${id % 256}`;
    this.machines = Array.from(
      { length: count },
      (_, index) => new Machine(`ev${id}-${index + 1}`, `${subnet}.${11 + index}`),
    );
    try {
      ip('link', 'add', this.bridge, 'type', 'bridge');
      ip('addr', 'add', `${subnet}.1/24`, 'dev', this.bridge);
      ip('link', 'set', this.bridge, 'up');
      for (const machine of this.machines) machine.connect(this.bridge);
    } catch (error) {
      this.remove();
      throw new NoMachinesError(error);
    }
  }

  /** Kills all processes of the machines and deletes the network. */
  remove(): void {
    for (const machine of this.machines) machine.remove();
    tryIp('link', 'del', this.bridge);
  }
}

/** Server of the network. Its programs run as the user `postgres`. */
export class Machine {
  constructor(
    readonly name: string,
    readonly address: string,
  ) {}

  connect(bridge: string): void {
    const inside = ['netns', 'exec', this.name, 'ip'];
    ip('netns', 'add', this.name);
    ip('link', 'add', this.name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.name);
    ip('link', 'set', this.name, 'master', bridge, 'up');
    ip(...inside, 'addr', 'add', `${this.address}/24`, 'dev', 'eth0');
    ip(...inside, 'link', 'set', 'eth0', 'up');
    ip(...inside, 'link', 'set', 'lo', 'up');
  }

  /** Disconnects the machine from the network. Its processes keep running. */
  cut(): void {
    ip('link', 'set', this.name, 'down');
  }

  heal(): void {
    ip('link', 'set', this.name, 'up');
  }

  run(command: readonly string[], logFile: string): Program {
    const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];
    return startLogged(['ip', 'netns', 'exec', this.name, ...asPostgres, ...command], logFile);
  }

  /** Kills the processes with these names, or all processes if there are no names, and waits for their end. */
  async kill(...names: readonly string[]): Promise<void> {
    const victims = this.listProcesses().filter((id) => names.length === 0 || names.includes(readName(id)));
    for (const id of victims) killNow(id);
    const giveUpAt = performance.now() + GONE_MS_MAX;
    while (this.listProcesses().some((id) => victims.includes(id))) {
      if (performance.now() > giveUpAt) throw new Error(`Processes of ${this.name} survive SIGKILL`);
      await wait(POLL_MS);
    }
  }

  remove(): void {
    for (const id of this.listProcesses()) killNow(id);
    tryIp('netns', 'del', this.name);
    tryIp('link', 'del', this.name);
  }

  private listProcesses(): number[] {
    return tryIp('netns', 'pids', this.name).split('\n').filter(Boolean).map(Number);
  }
}

export function startLogged(command: readonly string[], logFile: string): Program {
  return startCommand(command, { LC_ALL: 'C.UTF-8', TZ: 'UTC' }, { logFile, cwd: '/' });
}

function ip(...words: readonly string[]): string {
  return execFileSync('ip', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function tryIp(...words: readonly string[]): string {
  try {
    return ip(...words);
  } catch {
    return '';
  }
}

function readName(id: number): string {
  try {
    return readFileSync(`/proc/${id}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

function killNow(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

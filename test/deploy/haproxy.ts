import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { findProgram, installPackages } from '../support/debian-programs.js';
import { freePort } from '../support/ports.js';

const run = promisify(execFile);
const UP_SECONDS_MAX = 60;

/** deploy/haproxy/haproxy.cfg at work, with this machine's ports and without TLS. */
export class Haproxy {
  private constructor(
    private readonly child: ChildProcess,
    /** Of the interface, as clients reach it. */
    readonly url: string,
    private readonly waitFor: string,
    private readonly metrics: string,
    private readonly socket: string,
  ) {}

  /**
   * @param deploy the folder of the deployment's files
   * @param apiPorts of api-1 and those that follow
   * @throws Error when there is no HAProxy and none can be installed, or it refuses the file
   */
  static async start(deploy: string, apiPorts: readonly number[], directory: string): Promise<Haproxy> {
    const program = findPrograms();
    const [http, https, metrics] = [await freePort(), await freePort(), await freePort()];
    const socket = path.join(directory, 'haproxy.sock');
    const here = (await readFile(path.join(deploy, 'haproxy/haproxy.cfg'), 'utf8'))
      .replace(/^global$/m, `global\n  stats socket ${socket} level admin`)
      .replace('bind :8080', `bind 127.0.0.1:${http}`)
      .replace(/bind :8443 ssl .*/, `bind 127.0.0.1:${https}`)
      .replace('bind :8405', `bind 127.0.0.1:${metrics}`)
      .replaceAll(
        /(server api-(\d+)) \S+:3000/g,
        (_, server: string, number: string) => `${server} 127.0.0.1:${apiPorts[Number(number) - 1]}`,
      );
    const adapted = path.join(directory, 'haproxy.cfg');
    await writeFile(adapted, here);
    const log = openSync(path.join(directory, 'haproxy.log'), 'a');
    // A separate group: Ctrl-C reaches us alone.
    const child = spawn(program, ['-db', '-f', adapted], { stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    await once(child, 'spawn');
    const waitFor = path.join(deploy, 'waitfor');
    return new Haproxy(child, `http://127.0.0.1:${https}/api`, waitFor, `127.0.0.1:${metrics}`, socket);
  }

  /**
   * Waits as deploy/README.md does between two APIs, until it sends requests to this server.
   * @throws Error if that does not happen in so many seconds
   */
  async waitUntilUp(server: string, signal: AbortSignal, seconds = UP_SECONDS_MAX): Promise<void> {
    const env = { ...process.env, WAITFOR_SECONDS: String(seconds) };
    await run(this.waitFor, [server, this.metrics], { env, signal });
  }

  /** Takes a server out by hand, and back. */
  async setState(server: string, state: 'drain' | 'ready'): Promise<void> {
    const connection = connect(this.socket).end(`set server apis/${server} state ${state}\n`);
    const response = (await readAll(connection)).trim();
    if (response !== '') throw new Error(`HAProxy: ${response}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.kill();
    await exit;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** @returns HAProxy's path */
function findPrograms(): string {
  const missing = (): string[] => ['haproxy', 'curl'].filter((name) => findProgram(name) === undefined);
  if (missing().length > 0) installPackages(...missing());
  if (missing().length > 0) throw new Error(`npm run check -- update needs ${missing().join(' and ')}: install them`);
  return findProgram('haproxy') ?? '';
}

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findProgram, installPackages } from '../support/debian-programs.js';
import { freePort } from '../support/ports.js';
import { type Program, startCommand } from '../support/program.js';

const run = promisify(execFile);
const UP_SECONDS_MAX = 60;

/** deploy/haproxy/haproxy.cfg at work, with this machine's ports and without TLS. */
export class Haproxy {
  private constructor(
    private readonly program: Program,
    /** Of the interface, as clients reach it. */
    readonly url: string,
    private readonly waitFor: string,
    private readonly metrics: string,
  ) {}

  /**
   * @param deploy the folder of the deployment's files
   * @param apiPorts of api-1 and those that follow
   * @throws Error when there is no HAProxy and none can be installed, or it refuses the file
   */
  static async start(deploy: string, apiPorts: readonly number[], directory: string): Promise<Haproxy> {
    const haproxy = findPrograms();
    const [http, https, metrics] = [await freePort(), await freePort(), await freePort()];
    const here = (await readFile(path.join(deploy, 'haproxy/haproxy.cfg'), 'utf8'))
      .replace('bind :8080', `bind 127.0.0.1:${http}`)
      .replace(/bind :8443 ssl .*/, `bind 127.0.0.1:${https}`)
      .replace('bind :8405', `bind 127.0.0.1:${metrics}`)
      .replaceAll(
        /(server api-(\d+)) \S+:3000/g,
        (_, server: string, number: string) => `${server} 127.0.0.1:${apiPorts[Number(number) - 1]}`,
      );
    const adapted = path.join(directory, 'haproxy.cfg');
    await writeFile(adapted, here);
    const program = startCommand([haproxy, '-db', '-f', adapted], {}, { logFile: path.join(directory, 'haproxy.log') });
    const waitFor = path.join(deploy, 'waitfor');
    return new Haproxy(program, `http://127.0.0.1:${https}/api`, waitFor, `127.0.0.1:${metrics}`);
  }

  /**
   * Waits as deploy/README.md does between two APIs, until it sends requests to this server.
   * @throws Error if that does not happen in so many seconds
   */
  async waitUntilUp(server: string, signal: AbortSignal, seconds = UP_SECONDS_MAX): Promise<void> {
    const env = { ...process.env, WAITFOR_SECONDS: String(seconds) };
    await run(this.waitFor, [server, this.metrics], { env, signal });
  }

  async readMetrics(): Promise<string> {
    return (await fetch(`http://${this.metrics}/metrics`)).text();
  }

  async stop(): Promise<void> {
    this.program.kill('SIGKILL');
    await this.program.ended;
  }
}

/** @returns HAProxy's path */
function findPrograms(): string {
  const missing = (): string[] => ['haproxy', 'curl'].filter((name) => findProgram(name) === undefined);
  if (missing().length > 0) installPackages(...missing());
  if (missing().length > 0) throw new Error(`npm run check -- deploy needs ${missing().join(' and ')}: install them`);
  return findProgram('haproxy') ?? '';
}

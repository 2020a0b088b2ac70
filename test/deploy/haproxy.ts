import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findProgram, installPackages } from '../support/debian-programs.js';
import { freePort } from '../support/ports.js';
import { type Program, startCommand } from '../support/program.js';

const run = promisify(execFile);
const UP_SECONDS_MAX = 60;

/** HAProxy with deploy/haproxy/haproxy.cfg, local ports and no TLS. */
export class Haproxy {
  private constructor(
    private readonly program: Program,
    /** URL of the interface for clients. */
    readonly url: string,
    private readonly waitFor: string,
    private readonly metrics: string,
  ) {}

  /**
   * @param deploy folder of the deployment's files
   * @param apiPorts ports of api-1, api-2 and so on
   * @throws Error if HAProxy cannot be installed or rejects the file
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
   * Waits with the command of deploy/README.md until HAProxy sends requests to this server.
   * @throws Error after `seconds`
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

/** Installs the programs. @returns the path of HAProxy */
function findPrograms(): string {
  const missing = (): string[] => ['haproxy', 'curl'].filter((name) => findProgram(name) === undefined);
  if (missing().length > 0) installPackages(...missing());
  if (missing().length > 0) throw new Error(`npm run check -- deploy needs ${missing().join(' and ')}: install them`);
  return findProgram('haproxy') ?? '';
}

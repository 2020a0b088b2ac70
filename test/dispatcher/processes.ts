import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { CountingProxy } from './counting-proxy.js';
import { dispatcherSettings } from './replica.js';
import { type RunningProgram, startDispatcherProcess } from '../support/processes.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');

/** Builds what is stale, once and outside the time of the tests: the processes run what an operator runs. */
export async function build(): Promise<void> {
  const child = spawn(process.execPath, [path.join(REPOSITORY, 'scripts/run.mjs'), 'migrate'], {
    env: { PATH: process.env.PATH, DATABASE_OWNER_URL: 'postgres://127.0.0.1:1/x' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  // The program itself cannot succeed either: there is no such database.
  if (text.includes('The build failed')) throw new Error(text);
}

/** The service, the authority behind a front, and dispatchers that are separate processes. */
export class ProcessHarness {
  private readonly programs: RunningProgram[] = [];

  private constructor(
    readonly service: TestService,
    readonly front: CountingProxy,
    readonly settings: Record<string, string>,
  ) {}

  static async start(settings: Record<string, string>): Promise<ProcessHarness> {
    await build();
    const proxy = await CountingProxy.start();
    const service = await TestService.start({
      simulator: { visibilityDelayMs: 0, validationDelayMs: 0 },
      environment: { AUTHORITY_SANDBOX_API_URL: proxy.url, AUTHORITY_SANDBOX_IDENTITY_URL: proxy.url, ...settings },
    });
    proxy.target = service.simulator.url;
    return new ProcessHarness(service, proxy, dispatcherSettings(service, proxy.url, settings));
  }

  async stop(): Promise<void> {
    for (const program of this.programs) {
      program.kill('SIGCONT');
      await program.stop();
    }
    await this.service.stop();
    await this.front.close();
  }

  async dispatcher(settings: Record<string, string> = {}): Promise<RunningProgram> {
    const program = await startDispatcherProcess({ ...this.settings, ...settings });
    this.programs.push(program);
    return program;
  }

  async count(table: string, condition: string): Promise<number> {
    const [{ count }] = await this.service.owner.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`,
    );
    return count;
  }

  /** Every number that the authority took, as often as it took it. */
  async taken(): Promise<string[]> {
    return (await this.service.wireLog()).map(({ supplierTin, type, number }) => `${supplierTin}/${type}/${number}`);
  }

  untilAll(status: string): Promise<void> {
    const isOther = `authority_status IS DISTINCT FROM '${status}'`;
    return until(`every document is ${status}`, async () => (await this.count('document_transaction', isOther)) === 0);
  }
}

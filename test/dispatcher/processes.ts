import { startDispatcherProcess, type StartedServer } from '../support/processes.js';
import { buildPrograms, type Program } from '../support/program.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { AuthorityProxy } from './authority-proxy.js';
import { dispatcherSettings } from './replica.js';

/** The service, the authority behind a proxy, and dispatchers as separate processes. */
export class ProcessHarness {
  private readonly programs: Program[] = [];

  private constructor(
    readonly proxy: AuthorityProxy,
    readonly settings: Record<string, string>,
  ) {}

  static async start(settings: Record<string, string>): Promise<ProcessHarness> {
    await buildPrograms();
    const simulator = { visibilityDelayMs: 0, validationDelayMs: 0 };
    const proxy = await AuthorityProxy.start({ simulator, environment: settings });
    return new ProcessHarness(proxy, dispatcherSettings(proxy.service, proxy.url, settings));
  }

  get service(): TestService {
    return this.proxy.service;
  }

  async stop(): Promise<void> {
    for (const program of this.programs) {
      program.kill('SIGCONT');
      await program.stop();
    }
    await this.proxy.stop();
  }

  async dispatcher(settings: Record<string, string> = {}): Promise<StartedServer> {
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

  /** Lists every number that the authority accepted, once per acceptance. */
  async taken(): Promise<string[]> {
    return (await this.service.wireLog()).map(({ supplierTin, type, number }) => `${supplierTin}/${type}/${number}`);
  }

  untilAll(status: string): Promise<void> {
    const isOther = `authority_status IS DISTINCT FROM '${status}'`;
    return until(`every document is ${status}`, async () => (await this.count('document_transaction', isOther)) === 0);
  }
}

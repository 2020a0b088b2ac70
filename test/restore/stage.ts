import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Client } from 'pg';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import { migrate } from '../../src/processes/migrate.js';
import { invoice } from '../support/documents.js';
import { type DatabaseRole, TestPostgres } from '../support/postgres.js';
import {
  buildSettings,
  controlSimulator,
  startApiProcess,
  startDispatcherProcess,
  startSimulatorProcess,
  type StartedServer,
} from '../support/processes.js';
import type { Program } from '../support/program.js';
import { insertTenant, type TestTenant } from '../support/tenants.js';
import { PostgresBackup } from './postgres-backup.js';

const DATABASE = 'einvoice';
const CREDITS = 100_000;
const BATCH_MAX = 25;

export interface RestoreTenant extends TestTenant {
  readonly tin: string;
}

export interface WireDocument {
  readonly sequence: number;
  readonly number: string;
  readonly type: string;
  readonly supplierTin: string;
  readonly uuid: string;
}

/** The service as separate processes on a PostgreSQL server with a WAL archive. */
export class Stage {
  private api: StartedServer;
  private dispatcher: Program | null = null;
  private readonly tenantList: RestoreTenant[] = [];

  private constructor(
    readonly postgres: TestPostgres,
    readonly backup: PostgresBackup,
    private readonly simulator: StartedServer,
    private readonly settings: Record<string, string>,
  ) {}

  static async start(directory: string): Promise<Stage> {
    const backup = new PostgresBackup(directory);
    await backup.prepare();
    const postgres = await TestPostgres.start(path.join(directory, 'server'), backup.settings);
    const simulator = await startSimulatorProcess();
    const addressOf = await postgres.createDatabase(DATABASE);
    const settings = buildSettings(addressOf, simulator.url);
    const stage = new Stage(postgres, backup, simulator, settings);
    await migrate(addressOf('einvoice_owner'));
    // The service must prevent duplicates itself.
    await stage.control('settings', {
      duplicateRules: false,
      validationDelayMs: 200,
      visibilityDelayMs: 100,
      documentsMax: 1_000_000,
    });
    await stage.startApi();
    return stage;
  }

  get tenants(): readonly RestoreTenant[] {
    return this.tenantList;
  }

  async addTenants(count: number): Promise<void> {
    const client = new Client({ connectionString: this.url('einvoice_owner') });
    await client.connect();
    try {
      for (let number = 1; number <= count; number += 1) {
        const tin = `C${300_000_000 + number}0`;
        this.tenantList.push({ ...(await insertTenant(client, { credits: CREDITS, profile: { tin } })), tin });
      }
    } finally {
      await client.end();
    }
  }

  async startApi(): Promise<void> {
    this.api = await startApiProcess(this.settings);
  }

  async startDispatcher(): Promise<Program> {
    this.dispatcher = await startDispatcherProcess(this.settings);
    return this.dispatcher;
  }

  /** Stops the server like a lost machine or in an orderly way. */
  async stopDispatcher(signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM'): Promise<void> {
    this.dispatcher?.kill(signal);
    await this.dispatcher?.ended;
  }

  /** Stops the processes of the service and the server. */
  async crash(): Promise<void> {
    await this.stopDispatcher('SIGKILL');
    this.api.kill('SIGKILL');
    await this.api.ended;
    await this.postgres.crash();
  }

  async stop(): Promise<void> {
    await this.stopDispatcher('SIGKILL');
    await this.api.stop();
    await this.simulator.stop();
    await this.postgres.stop();
  }

  kill(): void {
    this.postgres.kill();
  }

  /** Submits an invoice for each number, alternating between the tenants. */
  async submit(numbers: readonly string[]): Promise<void> {
    for (const [index, tenant] of this.tenants.entries()) {
      const own = numbers.filter((_, position) => position % this.tenants.length === index);
      for (let first = 0; first < own.length; first += BATCH_MAX) {
        await this.post(tenant, '/v1/einvoice/submit', {
          submission_type: 'non-consolidated',
          documents: own.slice(first, first + BATCH_MAX).map((referenceId) => invoice({ referenceId })),
        });
      }
    }
  }

  async cancel(tenantId: string, documentId: string): Promise<void> {
    const tenant = this.tenants.find((each) => each.tenantId === tenantId);
    if (tenant === undefined) throw new Error(`There is no tenant ${tenantId}`);
    await this.post(tenant, '/v1/einvoice/cancel', { documentId, cancellationReason: 'Wrong buyer' });
  }

  /** Parses the single line of JSON that a command prints. @throws Error if the command fails */
  async command<Result>(...words: string[]): Promise<Result> {
    const { exitCode, out, error } = await this.tryCommand(...words);
    if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${error}${out}`);
    return JSON.parse(out) as Result;
  }

  async tryCommand(...words: string[]): Promise<{ exitCode: number; out: string; error: string }> {
    const configuration = readConfiguration('operator', {
      ...this.settings,
      DATABASE_OWNER_URL: this.url('einvoice_owner'),
    });
    const ended = { exitCode: -1, out: '', error: '' };
    const output = { out: (text: string) => (ended.out += text), error: (text: string) => (ended.error += text) };
    ended.exitCode = await runCli(configuration, [...words, '--json'], output);
    return ended;
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.url('postgres') });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Lists every document that the authority accepted, in order. */
  async wireLog(): Promise<WireDocument[]> {
    const documents: WireDocument[] = [];
    for (;;) {
      const after = documents.at(-1)?.sequence ?? 0;
      const response = await fetch(`${this.simulator.url}/_control/wire-log?after=${after}`);
      const page = (await response.json()) as WireDocument[];
      if (page.length === 0) return documents;
      documents.push(...page);
    }
  }

  control(name: string, body: object): Promise<unknown> {
    return controlSimulator(this.simulator.url, name, body);
  }

  private url(role: DatabaseRole | 'postgres'): string {
    return this.postgres.url(role, DATABASE);
  }

  private async post({ apiKey }: RestoreTenant, call: string, body: object): Promise<void> {
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'idempotency-key': randomUUID() };
    const response = await fetch(`${this.api.url}${call}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${call}: ${response.status} ${await response.text()}`);
  }
}

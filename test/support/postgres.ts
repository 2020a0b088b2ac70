import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../standalone/embedded-postgres.js';
import { freePort } from './ports.js';
import { until } from './until.js';

export const DATABASE_ROLES = ['einvoice_owner', 'einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'] as const;
export type DatabaseRole = (typeof DATABASE_ROLES)[number];

const GONE_MS_MAX = 10_000;
// It listens on loopback only, and lives as long as a run.
const PASSWORD = 'test';

/** A PostgreSQL with the service's roles, that may be killed without warning and started again on its port. */
export class TestPostgres {
  private server: EmbeddedPostgres | null = null;

  /** @param settings such as `fsync=off`; none, and it is what an operator gets */
  constructor(
    readonly directory: string,
    private readonly settings: readonly string[] = [],
  ) {}

  static async start(directory: string, settings: readonly string[] = []): Promise<TestPostgres> {
    const postgres = new TestPostgres(directory, settings);
    await postgres.start();
    return postgres;
  }

  /** Where it listens now, or did last. */
  get port(): number {
    return this.server?.port ?? 0;
  }

  get processId(): number {
    return this.server?.processId ?? 0;
  }

  async start(): Promise<void> {
    // A copy of another one's folder has the roles.
    const isNew = !existsSync(path.join(this.directory, 'pg', 'PG_VERSION'));
    this.server = await startEmbeddedPostgres({
      directory: path.join(this.directory, 'pg'),
      password: PASSWORD,
      port: this.server === null ? await freePort() : this.port,
      settings: this.settings,
    });
    if (!isNew) return;
    await this.asSuperuser(
      DATABASE_ROLES.map((role) => `CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${PASSWORD}'`),
    );
  }

  /** Without a table. @returns its addresses by role */
  async createDatabase(name: string): Promise<(role: DatabaseRole) => string> {
    await this.asSuperuser([`CREATE DATABASE ${name} OWNER einvoice_owner`]);
    return (role) => this.url(role, name);
  }

  /** @param port of a proxy before it, or its own */
  url(role: DatabaseRole | 'postgres', name: string, port = this.port): string {
    return `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  }

  /** What it has logged so far. */
  log(): Promise<string> {
    return readFile(path.join(this.directory, 'pg.log'), 'utf8');
  }

  /** SIGKILL of the postmaster and of all its children: nothing is flushed, nothing is said. */
  async crash(): Promise<void> {
    const postmaster = this.server?.processId ?? 0;
    const children = await listChildren(postmaster);
    for (const processId of [postmaster, ...children]) killNow(processId);
    for (const processId of [postmaster, ...children]) {
      await until(`PostgreSQL's process ${processId} is gone`, async () => !(await isAlive(processId)), GONE_MS_MAX);
    }
  }

  /** Tells it to end immediately; it is not waited for. */
  kill(): void {
    this.server?.kill();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  private async asSuperuser(statements: readonly string[]): Promise<void> {
    const client = new Client({ connectionString: this.url('postgres', 'postgres') });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

async function listChildren(parent: number): Promise<number[]> {
  const entries = await readdir('/proc');
  const ids = entries.map(Number).filter((id) => Number.isInteger(id));
  const parents = await Promise.all(ids.map(readParent));
  return ids.filter((_, index) => parents[index] === parent);
}

async function readParent(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
}

function killNow(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

/** A process that has ended and waits for its parent to notice does nothing any more. */
async function isAlive(processId: number): Promise<boolean> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s+[ZX]/m.test(status);
}

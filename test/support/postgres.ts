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
// The server listens on loopback only and stops after the run.
const PASSWORD = 'test';

/** PostgreSQL server with the service's roles. It can be crashed and restarted on the same port. */
export class TestPostgres {
  private server: EmbeddedPostgres | null = null;

  /** @param settings server settings such as `fsync=off`; the default is the configuration of an operator */
  constructor(
    readonly directory: string,
    private readonly settings: readonly string[] = [],
  ) {}

  static async start(directory: string, settings: readonly string[] = []): Promise<TestPostgres> {
    const postgres = new TestPostgres(directory, settings);
    await postgres.start();
    return postgres;
  }

  get port(): number {
    return this.server?.port ?? 0;
  }

  get processId(): number {
    return this.server?.processId ?? 0;
  }

  async start(): Promise<void> {
    // An existing data folder already contains the roles.
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

  /** Creates an empty database. @returns a function from roles to connection strings */
  async createDatabase(name: string): Promise<(role: DatabaseRole) => string> {
    await this.asSuperuser([`CREATE DATABASE ${name} OWNER einvoice_owner`]);
    return (role) => this.url(role, name);
  }

  /** @param port of the server, or of a proxy in front of it */
  url(role: DatabaseRole | 'postgres', name: string, port = this.port): string {
    return `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  }

  log(): Promise<string> {
    return readFile(path.join(this.directory, 'pg.log'), 'utf8');
  }

  /** Kills the postmaster and its children by SIGKILL, so that they cannot flush data or close connections. */
  async crash(): Promise<void> {
    const postmaster = this.server?.processId ?? 0;
    const children = await listChildren(postmaster);
    for (const processId of [postmaster, ...children]) killNow(processId);
    for (const processId of [postmaster, ...children]) {
      await until(`PostgreSQL's process ${processId} is gone`, async () => !(await isAlive(processId)), GONE_MS_MAX);
    }
  }

  /** Starts an immediate shutdown without waiting for its end. */
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
    // The process has already ended.
  }
}

/** Returns false for zombies, which have ended but are still listed. */
async function isAlive(processId: number): Promise<boolean> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s+[ZX]/m.test(status);
}

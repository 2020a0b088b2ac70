import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../standalone/embedded-postgres.js';
import { freePort } from '../../support/processes.js';

const ROLES = ['einvoice_owner', 'einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'] as const;
export type DatabaseRole = (typeof ROLES)[number];

const GONE_MS_MAX = 10_000;
const POLL_MS = 20;

/** A PostgreSQL with fsync on, in its own folder, that is killed without warning and started again. */
export class ChaosPostgres {
  private readonly password = randomBytes(16).toString('hex');
  private server: EmbeddedPostgres | null = null;

  constructor(private readonly directory: string) {}

  /** Where it listens now, or did last. */
  get port(): number {
    return this.server?.port ?? 0;
  }

  async start(): Promise<void> {
    const isNew = this.server === null;
    this.server = await startEmbeddedPostgres({
      directory: path.join(this.directory, 'pg'),
      password: this.password,
      port: isNew ? await freePort() : this.port,
    });
    if (!isNew) return;
    await this.asSuperuser('postgres', async (client) => {
      for (const role of ROLES) {
        await client.query(`CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${this.password}'`);
      }
    });
  }

  async createDatabase(name: string): Promise<void> {
    await this.asSuperuser('postgres', (client) => client.query(`CREATE DATABASE ${name} OWNER einvoice_owner`));
  }

  /** @param port of a proxy before it, or its own */
  url(role: DatabaseRole, name: string, port = this.port): string {
    return `postgres://${role}:${this.password}@127.0.0.1:${port}/${name}`;
  }

  superuserUrl(name: string): string {
    return `postgres://postgres:${this.password}@127.0.0.1:${this.port}/${name}`;
  }

  /** SIGKILL of the postmaster and of all its children: nothing is flushed, nothing is said. */
  async crash(): Promise<void> {
    const postmaster = this.server?.processId ?? 0;
    const children = await listChildren(postmaster);
    for (const processId of [postmaster, ...children]) killNow(processId);
    const giveUpAt = Date.now() + GONE_MS_MAX;
    for (const processId of [postmaster, ...children]) {
      while (await isAlive(processId)) {
        if (Date.now() > giveUpAt) throw new Error(`PostgreSQL's process ${processId} does not die`);
        await wait(POLL_MS);
      }
    }
  }

  /** Tells it to end immediately; it is not waited for. */
  kill(): void {
    this.server?.kill();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  private async asSuperuser(database: string, work: (client: Client) => Promise<unknown>): Promise<void> {
    const client = new Client({ connectionString: this.superuserUrl(database) });
    await client.connect();
    try {
      await work(client);
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

import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { REPOSITORY } from '../support/program.js';
import type { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/** Files that the server writes while it runs or recreates when it starts on the copy. */
const NOT_COPIED: ReadonlySet<string> = new Set(['pg_wal', 'postmaster.pid', 'postmaster.opts']);

/** Base backup and the WAL that follows it, sufficient for a restore to any later time. */
export class PostgresBackup {
  private readonly archive: string;
  private readonly base: string;

  constructor(private readonly directory: string) {
    this.archive = path.join(directory, 'archive');
    this.base = path.join(directory, 'base');
  }

  /** Settings of the server to be backed up. */
  get settings(): string[] {
    const command = `test ! -f ${this.archive}/%f && cp %p ${this.archive}/.%f && mv ${this.archive}/.%f ${this.archive}/%f`;
    return ['wal_level=replica', 'archive_mode=on', `archive_command=${command}`];
  }

  async prepare(): Promise<void> {
    await mkdir(this.archive, { recursive: true });
  }

  /** Copies the folder of the running server with PostgreSQL's low-level backup API. */
  async takeBase(postgres: TestPostgres): Promise<void> {
    const client = await connect(postgres);
    try {
      await client.query(`SELECT pg_backup_start('base', true)`);
      const folder = path.join(postgres.directory, 'pg');
      await mkdir(path.join(this.base, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 });
      for (const name of (await readdir(folder)).filter((each) => !NOT_COPIED.has(each))) {
        // The WAL contains files that disappear during the copy.
        await cp(path.join(folder, name), path.join(this.base, name), {
          recursive: true,
          filter: (file) => !/pgsql_tmp/.test(file),
        });
      }
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
      await writeFile(path.join(this.base, 'backup_label'), rows[0].labelfile, { mode: 0o600 });
    } finally {
      await client.end();
    }
  }

  /** Creates a named restore point and waits until it is archived. */
  async markRestorePoint(postgres: TestPostgres, name: string): Promise<void> {
    const client = await connect(postgres);
    try {
      await client.query('SELECT pg_create_restore_point($1)', [name]);
      const { rows } = await client.query<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
      await until('the archive holds the restore point', async () =>
        (await readdir(this.archive)).includes(rows[0].file),
      );
    } finally {
      await client.end();
    }
  }

  /** Restarts the stopped server on the base backup and recovers it to the restore point. */
  async restore(postgres: TestPostgres, name: string): Promise<void> {
    const folder = path.join(postgres.directory, 'pg');
    await rename(folder, path.join(this.directory, 'lost'));
    await rename(this.base, folder);
    const settings = [
      `restore_command = 'cp ${this.archive}/%f %p'`,
      `recovery_target_name = '${name}'`,
      `recovery_target_action = 'promote'`,
    ];
    await writeFile(path.join(folder, 'postgresql.auto.conf'), `${settings.join('\n')}\n`, { mode: 0o600 });
    await writeFile(path.join(folder, 'recovery.signal'), '', { mode: 0o600 });
    await postgres.start();
    await untilWritable(postgres);
    await rm(path.join(this.directory, 'lost'), { recursive: true, force: true });
  }

  /** Runs the statements of docs/restore.md on the server restored to a named point. */
  async forgetTarget(postgres: TestPostgres): Promise<void> {
    const page = await readFile(path.join(REPOSITORY, 'docs/restore.md'), 'utf8');
    const statements = page.match(/ALTER SYSTEM RESET \w+/g) ?? [];
    await query(postgres, ...statements.map((each) => each.replace('recovery_target_time', 'recovery_target_name')));
  }

  /** Turns the server into a standby and promotes it, which creates a new timeline without data loss. */
  async promote(postgres: TestPostgres): Promise<void> {
    await postgres.stop();
    await writeFile(path.join(postgres.directory, 'pg', 'standby.signal'), '', { mode: 0o600 });
    await postgres.start();
    await query(postgres, 'SELECT pg_promote()');
    await untilWritable(postgres);
  }
}

async function untilWritable(postgres: TestPostgres): Promise<void> {
  await until('the server takes writes', async () => {
    const client = await connect(postgres);
    try {
      const { rows } = await client.query<{ isRecovering: boolean }>('SELECT pg_is_in_recovery() AS "isRecovering"');
      return !rows[0].isRecovering;
    } finally {
      await client.end();
    }
  });
}

async function query(postgres: TestPostgres, ...statements: readonly string[]): Promise<void> {
  const client = await connect(postgres);
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function connect(postgres: TestPostgres): Promise<Client> {
  const client = new Client({ connectionString: postgres.url('postgres', 'postgres') });
  await client.connect();
  return client;
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { RECORDER_TABLE, RECORDERS } from '../../support/event-recorder.js';
import { NO_RATE_LIMITS } from '../../support/no-rate-limits.js';
import { freePort } from '../../support/ports.js';
import { type DatabaseRole, TestPostgres } from '../../support/postgres.js';
import { FaultProxy } from '../../support/proxy.js';
import { until } from '../../support/until.js';
import { findDefectFile, seedDefect } from '../load/consumers.js';
import { SupervisedProgram } from './program.js';
import { type SimulatorSettings, SimulatorProcess } from './simulator.js';

const run = promisify(execFile);

const MIGRATE = 'const [, file, url] = process.argv; await (await import(file)).migrate(url);';

/** Timeouts of the dispatcher in seconds. */
export interface ClusterTimes {
  readonly deadline: number;
  readonly lease: number;
  readonly grace: number;
  readonly secondLookup: number;
}

export interface ClusterOptions {
  readonly dist: string;
  /** Folder of an older build that migrates the database and is started first. */
  readonly firstDist?: string;
  readonly apis: number;
  readonly dispatchers: number;
  readonly times: ClusterTimes;
  /** Fraction of the published call limits that applies to service and simulator. 0 disables the limits. */
  readonly rateFactor: number;
  readonly simulator: SimulatorSettings;
  /** Drain time of an API after SIGTERM. The default is 0. */
  readonly drainSeconds?: number;
  /** Adds event consumers to the dispatchers. */
  readonly hasConsumers?: boolean;
}

/** PostgreSQL on loopback with the service's roles. */
export interface ClusterDatabase {
  readonly port: number;
  url(role: DatabaseRole | 'postgres', name: string, port?: number): string;
  createDatabase(name: string): Promise<unknown>;
  stop(): Promise<void>;
  kill(): void;
}

/** Process of the service with its own proxies, so that a fault can affect one process only. */
export interface Node {
  readonly program: SupervisedProgram;
  readonly database: FaultProxy;
  readonly authority: FaultProxy;
}

export interface ApiNode extends Node {
  readonly url: string;
}

const READY_MS_MAX = 60_000;
const POOL_SIZE = 10;
const DATABASE = 'einvoice';
const CLIENT_ID = 'chaos';

/** Deployment of the service with a proxy on every connection between its programs. */
export class Cluster<Database extends ClusterDatabase = TestPostgres> {
  readonly apis: ApiNode[] = [];
  readonly dispatchers: Node[] = [];
  // Shared by all processes, because they share the encrypted tokens.
  private readonly secretsKey = randomBytes(16).toString('hex');

  private constructor(
    readonly directory: string,
    readonly postgres: Database,
    readonly simulator: SimulatorProcess,
    private readonly options: ClusterOptions,
  ) {}

  /** Starts and migrates the database, starts simulator and processes, and waits until the APIs are ready. */
  static start(options: ClusterOptions): Promise<Cluster> {
    return Cluster.startOn((directory) => TestPostgres.start(directory), options);
  }

  /** Starts a cluster on another kind of database. `startDatabase` gets the folder for its files. */
  static async startOn<Database extends ClusterDatabase>(
    startDatabase: (directory: string) => Promise<Database>,
    options: ClusterOptions,
  ): Promise<Cluster<Database>> {
    const directory = await mkdtemp(path.join(tmpdir(), 'einvoice-chaos-'));
    const postgres = await startDatabase(directory).catch(async (error: unknown) => {
      // Removes the folder only if it contains no logs.
      await rmdir(directory).catch(() => undefined);
      throw error;
    });
    const simulator = await SimulatorProcess.start({
      file: path.join(options.dist, 'simulator/main.js'),
      logFile: path.join(directory, 'simulator.log'),
      settings: { ...options.simulator, rateFactor: options.rateFactor },
    });
    const cluster = new Cluster(directory, postgres, simulator, options);
    try {
      await cluster.open();
      return cluster;
    } catch (error) {
      await cluster.destroy();
      throw error;
    }
  }

  get nodes(): readonly Node[] {
    return [...this.apis, ...this.dispatchers];
  }

  get ownerUrl(): string {
    return this.postgres.url('einvoice_owner', DATABASE);
  }

  get superuserUrl(): string {
    return this.postgres.url('postgres', DATABASE);
  }

  get clientId(): string {
    return CLIENT_ID;
  }

  /** Connects as superuser without a proxy. */
  async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.superuserUrl, application_name: 'chaos' });
    // If PostgreSQL is killed, the next statement fails.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs one statement on its own connection. */
  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = await this.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async addDispatcher(dist = this.options.dist): Promise<Node> {
    const number = this.dispatchers.length + 1;
    const node = await this.node({
      dist,
      name: `dispatcher-${number}`,
      file: this.options.hasConsumers === true ? 'test/chaos/dispatcher.js' : 'src/processes/dispatcher.js',
      role: 'einvoice_dispatcher',
      startedLine: 'The loops run',
      environment: { DEFECT_FILE: findDefectFile(this.directory) },
    });
    this.dispatchers.push(node);
    node.program.start();
    return node;
  }

  /** Kills all programs, and deletes their files unless `keepsLogs` is set. */
  async destroy({ keepsLogs = false }: { keepsLogs?: boolean } = {}): Promise<void> {
    await Promise.all(this.nodes.map(({ program }) => program.end()));
    await Promise.all(this.nodes.flatMap(({ database, authority }) => [database.close(), authority.close()]));
    await this.simulator.stop();
    await this.postgres.stop();
    if (!keepsLogs) await rm(this.directory, { recursive: true, force: true });
  }

  /** Kills all programs without waiting. */
  kill(): void {
    for (const { program } of this.nodes) program.kill();
    this.simulator.kill();
    this.postgres.kill();
  }

  private async open(): Promise<void> {
    await this.postgres.createDatabase(DATABASE);
    const dist = this.options.firstDist ?? this.options.dist;
    const migrations = pathToFileURL(path.join(dist, 'src/processes/migrate.js')).href;
    // Runs in a separate process, because two builds in one process would register the same metrics twice.
    await run(process.execPath, ['--input-type=module', '--eval', MIGRATE, migrations, this.ownerUrl]);
    if (this.options.hasConsumers === true) await this.addConsumers();
    for (let count = 0; count < this.options.apis; count += 1) await this.startApi(dist);
    for (let count = 0; count < this.options.dispatchers; count += 1) await this.addDispatcher(dist);
    await Promise.all(this.apis.map(ready));
  }

  /**
   * Registers the consumers before the dispatchers start, so that they receive the events of the first documents too.
   */
  private async addConsumers(): Promise<void> {
    await this.query(RECORDER_TABLE);
    await this.query('INSERT INTO event_consumer SELECT unnest($1::text[]), service_now()', [RECORDERS]);
    await seedDefect(this.directory);
  }

  /** Adds an API and waits until it is ready. @param port port of a stopped API that it replaces */
  async addApi(dist = this.options.dist, port?: number): Promise<ApiNode> {
    const api = await this.startApi(dist, port);
    await ready(api);
    return api;
  }

  private async startApi(dist: string, wantedPort?: number): Promise<ApiNode> {
    const number = this.apis.length + 1;
    const port = wantedPort ?? (await freePort());
    const node = await this.node({
      dist,
      name: `api-${number}`,
      file: 'src/processes/api.js',
      role: 'einvoice_app',
      startedLine: 'Nest application successfully started',
      environment: { PORT: String(port), DRAIN_SECONDS: String(this.options.drainSeconds ?? 0) },
    });
    const api = { ...node, url: `http://127.0.0.1:${port}/api` };
    this.apis.push(api);
    node.program.start();
    return api;
  }

  private async node(process: {
    dist: string;
    name: string;
    file: string;
    role: DatabaseRole;
    startedLine: string;
    environment?: NodeJS.ProcessEnv;
  }): Promise<Node> {
    const database = await FaultProxy.open(() => this.postgres.port);
    const authority = await FaultProxy.open(() => this.simulator.port);
    const { times, rateFactor } = this.options;
    const databaseUrl = this.postgres.url(process.role, DATABASE, database.port);
    const authorityUrl = `http://127.0.0.1:${authority.port}`;
    const program = new SupervisedProgram({
      name: process.name,
      file: path.join(process.dist, process.file),
      logFile: path.join(this.directory, `${process.name}.log`),
      startedLine: process.startedLine,
      environment: {
        METRICS_PORT: '0',
        DATABASE_URL: databaseUrl,
        DATABASE_DISPATCHER_URL: databaseUrl,
        DATABASE_POOL_SIZE: String(POOL_SIZE),
        AUTHORITY_SANDBOX_API_URL: authorityUrl,
        AUTHORITY_SANDBOX_CLIENT_ID: CLIENT_ID,
        AUTHORITY_SANDBOX_CLIENT_SECRET: 'chaos',
        AUTHORITY_SANDBOX_RATE_FACTOR: String(rateFactor),
        ...NO_RATE_LIMITS,
        AUTHORITY_DEADLINE_SECONDS: String(times.deadline),
        DISPATCH_LEASE_SECONDS: String(times.lease),
        RECONCILE_GRACE_SECONDS: String(times.grace),
        RECONCILE_SECOND_LOOK_SECONDS: String(times.secondLookup),
        SECRETS_KEY: this.secretsKey,
        LOG_LEVEL: 'info',
        ...process.environment,
      },
    });
    return { program, database, authority };
  }
}

function ready({ url, program }: ApiNode): Promise<void> {
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  return until(`${program.name} is ready`, isReady, READY_MS_MAX);
}

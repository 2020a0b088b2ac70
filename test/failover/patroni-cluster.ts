import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { freePort } from '../support/ports.js';
import { type Program, REPOSITORY } from '../support/program.js';
import { DATABASE_ROLES, type DatabaseRole } from '../support/postgres.js';
import { until } from '../support/until.js';
import type { ClusterDatabase } from '../chaos/cluster/cluster.js';
import { type Machine, Network, NoMachinesError, startLogged } from './machines.js';
import { installServers } from '../support/debian-servers.js';

const PACKAGES = {
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/lib/python3/dist-packages/etcd/__init__.py': 'python3-etcd',
  '/usr/sbin/haproxy': 'haproxy',
  '/bin/ip': 'iproute2',
};
const MACHINES = 3;
const PASSWORD = 'test';
const START_MS_MAX = 120_000;

/** Timeouts of Patroni in seconds. A lost primary is replaced after `ttl`. */
const PATRONI_TIMES = { ttl: 20, loop_wait: 2, retry_timeout: 5, primary_start_timeout: 0 };

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Three PostgreSQL servers with Patroni and etcd, behind HAProxy with deploy/haproxy/postgres.cfg. */
export class PatroniCluster implements ClusterDatabase {
  private haproxy: Program | null = null;

  private constructor(
    private readonly directory: string,
    private readonly network: Network,
    readonly port: number,
  ) {}

  /**
   * Starts the servers and waits until both standbys are streaming, one of them synchronously.
   * @throws NoMachinesError
   */
  static async start(directory: string): Promise<PatroniCluster> {
    if (process.getuid?.() !== 0) throw new NoMachinesError();
    installServers(PACKAGES);
    // The servers run as other users.
    chmodSync(directory, 0o755);
    const cluster = new PatroniCluster(directory, new Network(MACHINES), await freePort());
    try {
      for (const machine of cluster.machines) cluster.prepare(machine);
      for (const machine of cluster.machines) cluster.startEtcd(machine);
      for (const machine of cluster.machines) cluster.startPatroni(machine);
      cluster.startHaproxy();
      await cluster.untilWhole(START_MS_MAX);
      await cluster.asSuperuser(
        DATABASE_ROLES.map((role) => `CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${PASSWORD}'`),
      );
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get machines(): readonly Machine[] {
    return this.network.machines;
  }

  url(role: DatabaseRole | 'postgres', name: string, port = this.port): string {
    return `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  }

  /** Connection string of one server without HAProxy. */
  machineUrl({ address }: Machine, name: string): string {
    return `postgres://postgres:${PASSWORD}@${address}:5432/${name}`;
  }

  async createDatabase(name: string): Promise<void> {
    await this.asSuperuser([`CREATE DATABASE ${name} OWNER einvoice_owner`]);
  }

  async findByRole(role: 'leader' | 'sync_standby' | 'replica'): Promise<Machine> {
    let found: Machine | undefined;
    await until(`Patroni names a ${role}`, async () => {
      const members = await this.listMembers();
      found = this.machines.find(({ name }) => members.some((member) => member.name === name && member.role === role));
      return found !== undefined;
    });
    if (found === undefined) throw new Error(`No ${role}`);
    return found;
  }

  /** Finds the machine with the etcd leader. */
  async findEtcdLeader(): Promise<Machine> {
    for (const machine of this.machines) {
      const status = await post(`http://${machine.address}:2379/v3/maintenance/status`, {});
      const { header, leader } = status as { header?: { member_id: string }; leader?: string };
      if (header !== undefined && header.member_id === leader) return machine;
    }
    throw new Error('No etcd leads');
  }

  async switchover(from: Machine, to: Machine): Promise<void> {
    const response = await fetch(`http://${from.address}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: from.name, candidate: to.name }),
    });
    if (!response.ok) throw new Error(`Switchover: ${response.status} ${await response.text()}`);
  }

  reloadHaproxy(): void {
    this.haproxy?.kill('SIGUSR2');
  }

  /** Waits until there is a leader with two streaming standbys. */
  async untilWhole(withinMs = 60_000): Promise<void> {
    await until(
      'all servers are in step',
      async () => {
        const members = await this.listMembers();
        const running = members.filter(({ state }) => state === 'running' || state === 'streaming');
        const roles = running.map(({ role }) => role).sort();
        return roles.join() === 'leader,replica,sync_standby' && (await this.countStreaming()) === MACHINES - 1;
      },
      withinMs,
    );
  }

  startEtcd(machine: Machine): void {
    const { name, address } = machine;
    const peers = this.machines.map((each) => `${each.name}=http://${each.address}:2380`);
    const settings = {
      name,
      'data-dir': path.join(this.folder(machine), 'etcd'),
      'listen-client-urls': `http://${address}:2379`,
      'advertise-client-urls': `http://${address}:2379`,
      'listen-peer-urls': `http://${address}:2380`,
      'initial-advertise-peer-urls': `http://${address}:2380`,
      'initial-cluster': peers.join(','),
      'enable-v2': 'true',
      'heartbeat-interval': '100',
      'election-timeout': '1000',
    };
    const words = Object.entries(settings).map(([option, value]) => `--${option}=${value}`);
    machine.run(['/usr/bin/etcd', ...words], path.join(this.directory, `${name}-etcd.log`));
  }

  startPatroni(machine: Machine): void {
    const file = path.join(this.folder(machine), 'patroni.yml');
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify(this.buildSettings(machine)));
    machine.run(['/usr/bin/patroni', file], path.join(this.directory, `${machine.name}-patroni.log`));
  }

  kill(): void {
    this.killHaproxy();
    this.network.remove();
  }

  stop(): Promise<void> {
    this.kill();
    return Promise.resolve();
  }

  private folder({ name }: Machine): string {
    return path.join(this.directory, name);
  }

  private prepare(machine: Machine): void {
    mkdirSync(path.join(this.folder(machine), 'socket'), { recursive: true });
    execFileSync('chown', ['-R', 'postgres:postgres', this.folder(machine)]);
  }

  private buildSettings(machine: Machine): object {
    const { name, address } = machine;
    const login = (username: string): object => ({ username, password: PASSWORD });
    const socket = path.join(this.folder(machine), 'socket');
    const parameters = { max_connections: 200, unix_socket_directories: socket };
    return {
      scope: 'einvoice',
      name,
      restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
      // With `etcd3`, Patroni 3.0 overwrites the lock of another leader after a network partition.
      etcd: { hosts: this.machines.map((each) => `${each.address}:2379`) },
      bootstrap: {
        dcs: {
          ...PATRONI_TIMES,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 200 } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      },
      postgresql: {
        listen: `${address}:5432`,
        connect_address: `${address}:5432`,
        data_dir: path.join(this.folder(machine), 'data'),
        bin_dir: '/usr/lib/postgresql/15/bin',
        pgpass: path.join(this.folder(machine), 'pgpass'),
        basebackup: [{ checkpoint: 'fast' }],
        authentication: { superuser: login('postgres'), replication: login('replicator'), rewind: login('rewinder') },
        pg_hba: [
          'local all all trust',
          'host all all 0.0.0.0/0 scram-sha-256',
          'host replication all 0.0.0.0/0 scram-sha-256',
        ],
        parameters,
      },
    };
  }

  private startHaproxy(): void {
    const file = path.join(this.directory, 'haproxy.cfg');
    const servers = this.machines.map(({ name, address }) => `  server ${name} ${address}:5432 check port 8008`);
    const deployed = readFileSync(path.join(REPOSITORY, 'deploy/haproxy/postgres.cfg'), 'utf8');
    const adapted = deployed
      .replace('bind :5432', `bind 127.0.0.1:${this.port}`)
      .replace(/(?:^ {2}server .*\n)+/m, `${servers.join('\n')}\n`);
    writeFileSync(file, adapted);
    this.haproxy = startLogged(
      ['/usr/sbin/haproxy', '-W', '-db', '-f', file],
      path.join(this.directory, 'haproxy.log'),
    );
  }

  /** Kills HAProxy and its workers, which share its process group. */
  private killHaproxy(): void {
    if (this.haproxy?.isRunning() === true) process.kill(-this.haproxy.processId, 'SIGKILL');
  }

  private async listMembers(): Promise<readonly Member[]> {
    for (const { address } of this.machines) {
      const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(1_000) })
        .then((response) => response.json() as Promise<{ members?: Member[] }>)
        .catch(() => null);
      if (answer?.members !== undefined) return answer.members;
    }
    return [];
  }

  private async countStreaming(): Promise<number> {
    const statement = `SELECT count(DISTINCT application_name)::int AS streaming FROM pg_stat_replication WHERE state = 'streaming'`;
    const rows = await this.asSuperuser([statement]).catch(() => []);
    return (rows as { streaming: number }[])[0]?.streaming ?? 0;
  }

  private async asSuperuser(statements: readonly string[]): Promise<unknown[]> {
    const client = new Client({ connectionString: this.url('postgres', 'postgres'), connectionTimeoutMillis: 3_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      let rows: unknown[] = [];
      for (const statement of statements) ({ rows } = await client.query(statement));
      return rows;
    } finally {
      await client.end();
    }
  }
}

async function post(url: string, body: object): Promise<object> {
  const options = { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(1_000) };
  return fetch(url, options).then(
    (response) => response.json() as Promise<object>,
    () => ({}),
  );
}

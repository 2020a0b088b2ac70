import type { DatabaseHost } from '../config/database-url.js';

/** Connects to one server, which must take writes, and closes that connection again. */
type Probe = (host: DatabaseHost) => Promise<void>;

/** No server of the database takes writes now; the message has the reason of each. */
class NoWritableServerError extends Error {
  // As PostgreSQL itself calls it.
  readonly code = '25006';
}

/**
 * Which of a database's servers takes writes. It is looked for before the first connection and again after one was lost:
 * all servers are asked at the same time, and the first that takes writes is used.
 */
export class ServerFinder {
  private found: Promise<DatabaseHost> | null = null;

  constructor(private readonly hosts: readonly DatabaseHost[]) {}

  /** @throws NoWritableServerError */
  find(probe: Probe): Promise<DatabaseHost> {
    this.found ??= this.probeAll(probe).catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.found;
  }

  forget(): void {
    this.found = null;
  }

  private async probeAll(probe: Probe): Promise<DatabaseHost> {
    const probes = this.hosts.map((host) => probe(host).then(() => host));
    return Promise.any(probes).catch(async () => {
      const results = await Promise.allSettled(probes);
      const reasons = results.map((result, index) => {
        const { host, port } = this.hosts[index];
        return `${host}:${port}: ${result.status === 'rejected' ? String(result.reason) : 'takes writes'}`;
      });
      throw new NoWritableServerError(`No server of the database takes writes (${reasons.join('; ')})`);
    });
  }
}

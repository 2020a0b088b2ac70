import { callbackify } from 'node:util';
import pg from 'pg';
import { parseJsonText } from '../common/parse-json-text.js';

// Messages and names of pg and PostgreSQL that no code identifies.
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
// Connection exceptions, shutdowns, timeouts, and servers that became read-only, as after a failover.
const CONNECTION_ENDING_STATES = /^(?:08|57P0|25P04|25006)/;
// Reported by PostgreSQL 14 and later at the start of a connection and after a promotion.
const READ_ONLY_PARAMETERS: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only']);
// The source routine identifies the warning about a cancelled wait for replication, whose message is translated.
const REPLICATION_ROUTINE = 'SyncRepWaitForLSN';

// pg would call JSON.parse.
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) pg.types.setTypeParser(type, parseJsonText);

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

class ReadOnlyServerError extends Error {
  readonly code = '25006';

  constructor() {
    super('The database server is a standby or read-only');
  }
}

/**
 * PostgreSQL has committed, but a failover may lose the commit, so the outcome counts as
 * unknown (docs/decisions/0108-a-commit-without-its-copy-is-unknown.md).
 */
class CommitInDoubtError extends Error {
  // transaction_resolution_unknown
  readonly code = '08007';

  constructor() {
    super('The wait for synchronous replication was cancelled: the commit may be lost with its server');
  }
}

/**
 * A connection that closes itself when the server stops responding, reports a fatal error or is read-only. The pool
 * then opens a new one.
 */
export class ReliableClient extends pg.Client {
  private readonly readOnlyBy = new Set<string>();
  private isCommitInDoubt = false;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    // Without a listener, an error on an idle connection would end the process. The next statement fails anyway.
    this.on('error', () => undefined);
    // pg detects a lost connection only when its socket closes, so the pool would reuse the connection until then.
    this.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (CONNECTION_ENDING_STATES.test(code ?? '')) this.closeNow();
    });
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (!READ_ONLY_PARAMETERS.has(parameterName)) return;
      if (parameterValue === 'on') this.readOnlyBy.add(parameterName);
      else this.readOnlyBy.delete(parameterName);
    });
    this.on('notice', ({ routine }) => {
      if (routine === REPLICATION_ROUTINE) this.isCommitInDoubt = true;
    });
    // query() has many overloads, so all arguments are forwarded.
    const query = this.query.bind(this) as (...parameters: unknown[]) => unknown;
    const watched = (...parameters: unknown[]): unknown => {
      const result = query(...parameters);
      if (!(result instanceof Promise)) return result;
      return result.then(
        (value: unknown) => this.assertCommitted(value),
        (error: unknown) => this.closeOnReadTimeout(error),
      );
    };
    this.query = watched as typeof this.query;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
    if (callback === undefined) return this.connectToWritable();
    callbackify(() => this.connectToWritable())(callback);
    return undefined;
  }

  private async connectToWritable(): Promise<pg.Client> {
    await super.connect();
    if (this.readOnlyBy.size === 0) return this;
    this.closeNow();
    throw new ReadOnlyServerError();
  }

  /** @throws CommitInDoubtError after closing the connection, because its server may be about to stop */
  private assertCommitted(value: unknown): unknown {
    if (!this.isCommitInDoubt) return value;
    this.closeNow();
    throw new CommitInDoubtError();
  }

  // pg would keep the connection, and its next statement would wait forever.
  private closeOnReadTimeout(error: unknown): never {
    if (error instanceof Error && error.message === READ_TIMEOUT_MESSAGE) this.closeNow();
    throw error;
  }

  // Ends the client so that the pool removes it, and destroys the socket because a graceful Terminate could hang.
  private closeNow(): void {
    void this.end();
    this.connection.stream.destroy();
  }
}

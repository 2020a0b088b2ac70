import { callbackify } from 'node:util';
import pg from 'pg';
import { parseJsonText } from '../common/parse-json-text.js';

/** What the library says when no response came within `query_timeout`. */
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
// The SQL states that end the connection together with its statement: connection exceptions, shutdowns, time-outs, and
// a server that takes no writes, as after a failover.
const CONNECTION_ENDING_STATES = /^(?:08|57P0|25P04|25006)/;
// What a server reports of itself (from PostgreSQL 14 on) that takes no writes. A standby that is promoted reports it again.
const READ_ONLY_PARAMETERS: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only']);
// The routine that waits for replication warns of a commit whose wait was cancelled; the words are translated.
const REPLICATION_ROUTINE = 'SyncRepWaitForLSN';

// pg itself would call JSON.parse.
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) pg.types.setTypeParser(type, parseJsonText);

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** The server takes no writes. */
class ReadOnlyServerError extends Error {
  readonly code = '25006';

  constructor() {
    super('The database server is a standby or read-only');
  }
}

/**
 * PostgreSQL has committed, and cannot say whether a standby has the commit too: a failover may lose it. What it was
 * for counts as unknown (docs/decisions/0108-a-commit-without-its-copy-is-unknown.md).
 */
class CommitInDoubtError extends Error {
  // transaction_resolution_unknown
  readonly code = '08007';

  constructor() {
    super('The wait for synchronous replication was cancelled: the commit may be lost with its server');
  }
}

/**
 * A connection that has gone silent, as behind a network that swallows bytes, that the database has reported a fatal
 * error on, or whose server takes no writes, is closed immediately: the pool opens another one.
 */
export class ReliableClient extends pg.Client {
  private readonly readOnlyBy = new Set<string>();
  private isCommitInDoubt = false;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    // Between the pool's listener and its borrower's there is a moment without any, in which the last error of a
    // closing connection would end the process. The connection is dead then, and its next statement says so.
    this.on('error', () => undefined);
    // The library lets the statement fail and learns only later, from the socket, that the connection is lost: the pool
    // would hand it to the next call, whose statement fails for nothing.
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
    // The library declares a dozen forms of query(); each passes as it is.
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

  /** @throws ReadOnlyServerError */
  private async connectToWritable(): Promise<pg.Client> {
    await super.connect();
    if (this.readOnlyBy.size === 0) return this;
    this.closeNow();
    throw new ReadOnlyServerError();
  }

  /** @throws CommitInDoubtError; the connection's server may be about to stop, and is not used again */
  private assertCommitted(value: unknown): unknown {
    if (!this.isCommitInDoubt) return value;
    this.closeNow();
    throw new CommitInDoubtError();
  }

  // The library gives up the statement and keeps the connection, whose next statement would wait behind it for ever.
  private closeOnReadTimeout(error: unknown): never {
    if (error instanceof Error && error.message === READ_TIMEOUT_MESSAGE) this.closeNow();
    throw error;
  }

  // Ended before it is released, so that the pool removes it then; and not by a farewell that nobody may be there to
  // hear.
  private closeNow(): void {
    void this.end();
    this.connection.stream.destroy();
  }
}

import pg from 'pg';

/** What the library says when no response came within `query_timeout`. */
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
// The SQL states that end the connection together with its statement: connection exceptions, shutdowns, time-outs.
const CONNECTION_ENDING_STATES = /^(?:08|57P0|25P04)/;

/**
 * A connection that has gone silent, as behind a network that swallows bytes, or that the database has reported a fatal
 * error on, is closed immediately: the pool opens another one.
 */
export class ReliableClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // Between the pool's listener and its borrower's there is a moment without any, in which the last error of a
    // closing connection would end the process. The connection is dead then, and its next statement says so.
    this.on('error', () => undefined);
    // The library lets the statement fail and learns only later, from the socket, that the connection is lost: the pool
    // would hand it to the next call, whose statement fails for nothing.
    this.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (CONNECTION_ENDING_STATES.test(code ?? '')) this.closeNow();
    });
    // The library declares a dozen forms of query(); each passes as it is.
    const query = this.query.bind(this) as (...parameters: unknown[]) => unknown;
    const watched = (...parameters: unknown[]): unknown => {
      const result = query(...parameters);
      if (result instanceof Promise) result.catch((error: unknown) => this.closeOnReadTimeout(error));
      return result;
    };
    this.query = watched as typeof this.query;
  }

  // The library gives up the statement and keeps the connection, whose next statement would wait behind it for ever.
  private closeOnReadTimeout(error: unknown): void {
    if (error instanceof Error && error.message === READ_TIMEOUT_MESSAGE) this.closeNow();
  }

  // Ended before it is released, so that the pool removes it then; and not by a farewell that nobody may be there to
  // hear.
  private closeNow(): void {
    void this.end();
    this.connection.stream.destroy();
  }
}

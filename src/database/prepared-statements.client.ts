import { createHash } from 'node:crypto';
import pg from 'pg';
import { isOutdatedPlan } from './outdated-plan.js';

interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

// The same few dozen texts come with every call, so each is hashed once.
const statementByText = new Map<string, PreparedStatement>();
/** Texts are constants of the code; a text that is composed for each call would fill this, and is a mistake. */
const TEXTS_MAX = 1_000;
/** Of a statement whose plan was outdated: one migration may follow another. */
const RERUNS_MAX = 3;
/** Raised when the schema has changed below what is prepared. */
let generation = 1;

function findStatement(text: string): PreparedStatement | undefined {
  const known = statementByText.get(text);
  if (known !== undefined || statementByText.size >= TEXTS_MAX) return known;
  // A later generation differs in its text too: a pooler takes statements of one text for the same one.
  const preparedText = generation === 1 ? text : `${text} /* ${generation} */`;
  const name = `s_${createHash('sha256').update(preparedText).digest('hex').slice(0, 24)}`;
  const statement = { name, text: preparedText };
  statementByText.set(text, statement);
  return statement;
}

/** From now on every text is prepared again, on every connection; unless that has been done since this one was. */
function prepareAgain(text: string, outdated: PreparedStatement): void {
  if (statementByText.get(text) !== outdated) return;
  generation += 1;
  statementByText.clear();
}

/** What the library says when no response came within `query_timeout`. */
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
// The SQL states that end the connection together with its statement: connection exceptions, shutdowns, time-outs.
const CONNECTION_ENDING_STATES = /^(?:08|57P0|25P04)/;

/**
 * A connection that prepares every statement with parameters once and runs it by name from then on: the database parses
 * and plans it once for each connection, which for the short statements of a submit costs more than running them. One
 * that a migration has made outdated is prepared and run again; in an open transaction it only fails, since what came
 * before it is lost with it: ReliableDataSource runs the whole transaction again. A connection that has gone silent, as
 * behind a network that swallows bytes, or that the database has reported a fatal error on, is closed immediately: the
 * pool opens another one.
 */
export class PreparedStatementsClient extends pg.Client {
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
    // The library declares a dozen forms of query(); only (text, values) is changed, the others pass as they are.
    const query = this.query.bind(this) as (...parameters: unknown[]) => unknown;
    const prepared = (...parameters: unknown[]): unknown => {
      const [text, values, ...rest] = parameters;
      const isPreparable = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const run = (runsLeft: number): unknown => {
        const statement = isPreparable ? findStatement(text) : undefined;
        const result = statement === undefined ? query(...parameters) : query({ ...statement, values }, ...rest);
        if (!(result instanceof Promise)) return result;
        result.catch((error: unknown) => this.closeOnReadTimeout(error));
        if (statement === undefined) return result;
        return result.catch((error: unknown) => {
          if (!isOutdatedPlan(error)) throw error;
          prepareAgain(text as string, statement);
          // What failed outside a transaction has done nothing.
          if (runsLeft === 0 || this.getTransactionStatus() !== 'I') throw error;
          return run(runsLeft - 1);
        });
      };
      return run(RERUNS_MAX);
    };
    this.query = prepared as typeof this.query;
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

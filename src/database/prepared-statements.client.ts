import { createHash } from 'node:crypto';
import type pg from 'pg';
import { ReliableClient } from './reliable.client.js';
import { isOutdatedPlan } from './reruns.js';

interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

// The same few dozen texts come with every call, so each is hashed once.
const statementByText = new Map<string, PreparedStatement>();
/** Texts are constants of the code; a text that is composed for each call would fill this, and is a mistake. */
const TEXTS_MAX = 1_000;
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

/**
 * A connection that prepares every statement with parameters once and runs it by name from then on: the database parses
 * and plans it once for each connection, which for the short statements of a submit costs more than running them
 * (measured: 11 % of the CPU time of a single submit). A statement that a migration has made outdated fails, and is
 * prepared again in the rerun of its work (reruns.ts).
 */
export class PreparedStatementsClient extends ReliableClient {
  private latest: { readonly text: string; readonly statement: PreparedStatement } | null = null;

  constructor(config?: pg.ClientConfig) {
    super(config);
    // Only the form (text, values) is changed, the others pass as they are.
    const query = this.query.bind(this) as (...parameters: unknown[]) => unknown;
    const prepared = (...parameters: unknown[]): unknown => {
      const [text, values, ...rest] = parameters;
      if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(...parameters);
      const statement = findStatement(text);
      if (statement === undefined) return query(...parameters);
      this.latest = { text, statement };
      return query({ ...statement, values }, ...rest);
    };
    this.query = prepared as typeof this.query;
    this.connection.on('errorMessage', (error: pg.DatabaseError) => {
      if (this.latest !== null && isOutdatedPlan(error)) prepareAgain(this.latest.text, this.latest.statement);
    });
  }
}

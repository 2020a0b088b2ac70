import { createHash } from 'node:crypto';
import pg from 'pg';

// The same few dozen texts come with every call, so each is hashed once.
const nameByText = new Map<string, string>();
/** Texts are constants of the code; a text that is made anew for each call would fill this, and is a mistake. */
const TEXTS_MAX = 1_000;

function nameOf(text: string): string | undefined {
  const known = nameByText.get(text);
  if (known !== undefined || nameByText.size >= TEXTS_MAX) return known;
  const name = `s_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  nameByText.set(text, name);
  return name;
}

/**
 * A connection that prepares every statement with parameters once and runs it by name from then on: the database parses
 * and plans it once for each connection, which for the short statements of a submit costs more than running them.
 */
export class PreparedStatementsClient extends pg.Client {
  // The library declares a dozen forms of query(); only (text, values) is changed, the others pass as they are.
  override query = ((...parameters: unknown[]): unknown => {
    const [text, values, ...rest] = parameters;
    const isPreparable = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const name = isPreparable ? nameOf(text) : undefined;
    const forwarded = name === undefined ? parameters : [{ name, text, values }, ...rest];
    return Reflect.apply(pg.Client.prototype.query, this, forwarded) as unknown;
  }) as pg.Client['query'];
}

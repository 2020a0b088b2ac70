import type { IncomingHttpHeaders } from 'node:http';
import type { FaultName } from './fault-table.js';
import type { Session } from './token-book.js';

export interface HttpRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** More came than is ever read; `body` is then empty. */
  isTooLarge: boolean;
  correlationId: string;
}

/** A call of the authority's API, with the named parts of its path. */
export interface AuthorityRequest extends HttpRequest {
  parameters: Record<string, string>;
}

export interface AuthorizedRequest extends AuthorityRequest {
  session: Session;
  /** A fault that the call itself has to act out. */
  fault?: FaultName;
}

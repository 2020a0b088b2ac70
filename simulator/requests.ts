import type { IncomingHttpHeaders } from 'node:http';
import type { FaultName } from './fault-table.js';
import type { Session } from './token-book.js';

export interface HttpRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the body exceeds the size limit. `body` is then empty. */
  isTooLarge: boolean;
  correlationId: string;
}

/** A call of the authority's API. `parameters` are the named groups of its path. */
export interface AuthorityRequest extends HttpRequest {
  parameters: Record<string, string>;
}

export interface AuthorizedRequest extends AuthorityRequest {
  session: Session;
  /** Fault to apply to this call. */
  fault?: FaultName;
}

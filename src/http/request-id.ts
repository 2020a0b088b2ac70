import type { IncomingMessage } from 'node:http';
import { createId } from '../common/ids.js';

const REQUEST_ID_SHAPE = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's `X-Request-Id` when it is well formed, else a new one (docs/rules.md#error-responses). */
export function chooseRequestId(request: IncomingMessage): string {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' && REQUEST_ID_SHAPE.test(header) ? header : createId(new Date());
}

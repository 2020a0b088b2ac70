import type { FastifyReply } from 'fastify';
import { describeError } from '../errors/error.filter.js';
import type { HttpResult } from './http-result.js';

/** A response that is held back for seconds. */
export interface LaterResponse {
  readonly later: Promise<HttpResult>;
}

/**
 * Sends a response when it is there. Until then neither Nest nor Fastify waits for it: what they keep of a request while
 * its handler runs took some 2 KB more for each (docs/decisions/0097-what-a-held-poll-keeps.md). Hooks of `onSend` do
 * not run, those of `onResponse` do.
 */
export function respondLater(reply: FastifyReply, { later }: LaterResponse): void {
  reply.hijack();
  later.then(
    (result) => send(reply, result),
    (error: unknown) => send(reply, describeError(error, reply)),
  );
}

function send(reply: FastifyReply, { status, headers, body }: HttpResult): void {
  const { raw } = reply.status(status).headers(headers);
  if (raw.destroyed) return;
  const bytes = body === null ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  if (bytes !== undefined) void reply.type('application/json; charset=utf-8').header('Content-Length', bytes.length);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.end(bytes);
}

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import { describeError } from '../errors/error.filter.js';
import type { HttpResult } from './http-result.js';

/** A response that is held back for seconds. */
export interface LaterResponse {
  /** Holds it, until `respond` gets the response; or another that is held. */
  readonly hold: (respond: (next: Promise<HttpResult | LaterResponse>) => void) => void;
}

/**
 * Sends a response when it is there. Until then neither Nest nor Fastify waits for it, and no promise of ours: what they
 * keep of a request while its handler runs, and its headers, took kilobytes for each
 * (docs/decisions/0079-held-polls-share-one-statement.md). Hooks of `onSend` do not run, those of `onResponse` do.
 */
export function respondLater(reply: FastifyReply, response: LaterResponse): void {
  reply.hijack();
  forgetHeaders(reply.request.raw);
  hold(reply, response);
}

function hold(reply: FastifyReply, { hold: begin }: LaterResponse): void {
  begin((next) => void sendOrHold(reply, next));
}

async function sendOrHold(reply: FastifyReply, next: Promise<HttpResult | LaterResponse>): Promise<void> {
  const response = await next.catch((error: unknown) => describeError(error, reply));
  if ('hold' in response) hold(reply, response);
  else send(reply, response);
}

const NO_HEADERS: IncomingHttpHeaders = {};
const NO_RAW_HEADERS: string[] = [];

/** A kilobyte of strings, which nothing reads while the response is held, or after it. */
function forgetHeaders(request: IncomingMessage): void {
  request.headers = NO_HEADERS;
  request.rawHeaders = NO_RAW_HEADERS;
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

import type { FastifyReply } from 'fastify';

/** A response whose status or headers depend on what happened; a plain body needs none of this. */
export interface HttpResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** JSON text that is sent as it is, an object to be written as JSON, or null for no body. */
  readonly body: string | object | null;
}

/** What a handler returns after `applyResult`. */
export type ResponseBody = string | object | undefined;

/**
 * Puts status and headers of a result in the response.
 * @returns the body, for the handler to return
 */
export function applyResult(reply: FastifyReply, { status, headers, body }: HttpResult): ResponseBody {
  reply.status(status).headers(headers);
  // Nest would write null as JSON, four bytes that a 304 announces and never sends.
  if (body === null) return undefined;
  reply.type('application/json; charset=utf-8');
  return body;
}

import type { FastifyReply } from 'fastify';

export interface HttpResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | object | null;
}

export type ResponseBody = string | object | undefined;

/** Sets status and headers of the response, and returns the body for the handler to return. */
export function applyResult(reply: FastifyReply, { status, headers, body }: HttpResult): ResponseBody {
  reply.status(status).headers(headers);
  // Nest would write null as JSON, four bytes that a 304 announces and never sends.
  if (body === null) return undefined;
  reply.type('application/json; charset=utf-8');
  return body;
}

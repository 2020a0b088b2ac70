import type { FastifyReply } from 'fastify';

export interface HttpResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | object | null;
}

export type ResponseBody = string | object | undefined;

/** Sets the status and headers of the response, and returns its body. */
export function applyResult(reply: FastifyReply, { status, headers, body }: HttpResult): ResponseBody {
  reply.status(status).headers(headers);
  // Nest would write null as four bytes of JSON, which a 304 must not send.
  if (body === null) return undefined;
  reply.type('application/json; charset=utf-8');
  return body;
}

import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

/** A response whose status or headers depend on what happened; a plain body needs none of this. */
export interface HttpResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** JSON text that is sent as it is, an object to be written as JSON, or null for no body. */
  readonly body: string | object | null;
}

/**
 * Puts status and headers of a result in the response.
 * @returns the body, for the handler to return
 */
export function applyResult(reply: FastifyReply, { status, headers, body }: HttpResult): string | object | undefined {
  reply.status(status).headers(headers);
  // Nest would write null as JSON, four bytes that a 304 announces and never sends.
  if (body === null) return undefined;
  reply.type('application/json; charset=utf-8');
  return body;
}

/** Writes the HttpResult of a handler out. */
@Injectable()
export class HttpResultInterceptor implements NestInterceptor<HttpResult, string | object | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<HttpResult>): Observable<string | object | undefined> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(map((result) => applyResult(reply, result)));
  }
}

import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { Tracing } from './tracing.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the whole request; not recorded, or of no trace, unless traces are on or the client sent one. */
    span?: Span;
  }
}

/** A span for each request, with what its log line has but for the caller's key or user. */
export function traceRequests(fastify: FastifyInstance, tracing: Tracing): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    request.span = tracing.startRequest(request.headers.traceparent);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { span, method, routeOptions } = request;
    if (span?.isRecording()) {
      // The route's pattern, never the address, which may hold a TIN.
      const route = routeOptions.url ?? 'unknown';
      span.updateName(`${method} ${route}`);
      span.setAttributes({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
        'einvoice.request_id': request.id,
        'einvoice.tenant_id': request.caller?.tenantId,
        'einvoice.environment': request.caller?.environment,
      });
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span?.end();
    done();
  });
}

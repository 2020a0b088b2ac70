import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { Tracing } from './tracing.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Span of the request. Recorded only if tracing is on; empty without tracing and a trace from the client. */
    span?: Span;
  }
}

export function traceRequests(fastify: FastifyInstance, tracing: Tracing): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    request.span = tracing.startRequest(request.headers.traceparent);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { span, method, routeOptions } = request;
    if (span?.isRecording()) {
      // Uses the route pattern because the URL may contain a TIN.
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

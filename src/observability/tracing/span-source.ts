import { ProxyTracerProvider, type Tracer } from '@opentelemetry/api';

export interface SpanSource {
  readonly tracer: Tracer;
  shutdown(): Promise<void>;
}

// Without an SDK, a span is its parent or empty. The client's trace is continued, but no span is recorded.
export const OFF: SpanSource = {
  tracer: new ProxyTracerProvider().getTracer('einvoice'),
  shutdown: () => Promise.resolve(),
};

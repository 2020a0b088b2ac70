import { ProxyTracerProvider, type Tracer } from '@opentelemetry/api';

/** What makes the spans of a process. */
export interface SpanSource {
  readonly tracer: Tracer;
  /** Sends what is recorded. */
  shutdown(): Promise<void>;
}

// Without an SDK a span is that of its parent, or none: a client's trace is continued, and nothing recorded.
export const OFF: SpanSource = {
  tracer: new ProxyTracerProvider().getTracer('einvoice'),
  shutdown: () => Promise.resolve(),
};

import { INVALID_TRACEID, type Span, type SpanContext, TraceFlags } from '@opentelemetry/api';

// Version, trace id, span id and flags. All-zero ids and version ff are invalid. Later versions may
// have more parts than version 00.
const TRACEPARENT =
  /^(?!ff|00-.{52}.)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Parses a `traceparent` (W3C Trace Context). Returns null for a malformed header, which the standard ignores. */
export function parseTraceparent(header: string | readonly string[] | null | undefined): SpanContext | null {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || spanId === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED };
}

/** Formats the `traceparent` that continues a span, marked as sampled only if this service records the span. */
export function formatTraceparent(span: Span | undefined): string | undefined {
  const traceId = getTraceId(span);
  if (span === undefined || traceId === undefined) return undefined;
  return `00-${traceId}-${span.spanContext().spanId}-${span.isRecording() ? '01' : '00'}`;
}

export function getTraceId(span: Span | undefined): string | undefined {
  const traceId = span?.spanContext().traceId;
  return traceId === undefined || traceId === INVALID_TRACEID ? undefined : traceId;
}

import { INVALID_TRACEID, type Span, type SpanContext, TraceFlags } from '@opentelemetry/api';

// Version, trace id, span id and flags. Ids of zeros only and version ff are invalid; a later version may have more
// parts, version 00 must not.
const TRACEPARENT =
  /^(?!ff|00-.{52}.)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * Reads a `traceparent` (W3C Trace Context).
 * @returns null for a header that is missing, sent twice or malformed, which the standard ignores
 */
export function parseTraceparent(header: string | readonly string[] | null | undefined): SpanContext | null {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || spanId === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED };
}

/**
 * The `traceparent` that continues a span. It says `sampled` only if this service records the span: what a client
 * wrote there decides nothing further on.
 * @returns undefined if there is no trace
 */
export function formatTraceparent(span: Span | undefined): string | undefined {
  const traceId = getTraceId(span);
  if (span === undefined || traceId === undefined) return undefined;
  return `00-${traceId}-${span.spanContext().spanId}-${span.isRecording() ? '01' : '00'}`;
}

/** For log lines; undefined if there is no trace. */
export function getTraceId(span: Span | undefined): string | undefined {
  const traceId = span?.spanContext().traceId;
  return traceId === undefined || traceId === INVALID_TRACEID ? undefined : traceId;
}

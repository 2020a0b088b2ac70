import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  INVALID_TRACEID,
} from '@opentelemetry/api';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { TraceSettings } from '../../config/trace-settings.js';
import { OFF, type SpanSource } from './span-source.js';

export interface CallTrace {
  readonly span: Span;
  /** Trace ids of its batches, if they differ. */
  readonly linkedTraceIds: readonly string[];
}

/**
 * Creates the spans of a process. Parents are passed explicitly because async context tracking costs more than the
 * spans, and automatic instrumentation would record URLs, which may contain a TIN.
 */
export class Tracing implements OnApplicationShutdown {
  constructor(private readonly source: SpanSource) {}

  /** @param settings null turns recording off and does not load the SDK */
  static async open(settings: TraceSettings | null): Promise<Tracing> {
    if (settings === null) return new Tracing(OFF);
    const { createSpanSource } = await import('./open-telemetry.js');
    return new Tracing(createSpanSource(settings));
  }

  onApplicationShutdown(): Promise<void> {
    return this.source.shutdown();
  }

  startRequest(traceparent: string | readonly string[] | undefined): Span {
    const parent = parseTraceparent(traceparent);
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
    return this.source.tracer.startSpan('request', { kind: SpanKind.SERVER }, context);
  }

  async inSpan<Result>(name: string, parent: Span | undefined, work: () => Promise<Result>): Promise<Result> {
    if (!parent?.isRecording()) return work();
    const span = this.source.tracer.startSpan(name, {}, trace.setSpan(ROOT_CONTEXT, parent));
    try {
      return await work();
    } catch (error) {
      // Omits the error message, which may quote client data.
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  /**
   * Starts the span of an authority call, and one for the claim since `claimedSince`. The call continues the trace of
   * its batches if they share one; otherwise it starts its own trace with links to theirs.
   * @param traceparents as stored with the batches
   */
  startCall(
    traceparents: Iterable<string | null>,
    { claimedSince, attributes }: { claimedSince: Date; attributes: Attributes },
  ): CallTrace {
    const batches = [...new Set(traceparents)].map(parseTraceparent).filter((batch) => batch !== null);
    const traceIds = [...new Set(batches.map(({ traceId }) => traceId))];
    const context =
      traceIds.length === 1 ? trace.setSpanContext(ROOT_CONTEXT, batches.find(isSampled) ?? batches[0]) : ROOT_CONTEXT;
    const links = batches.length === 1 ? [] : batches.map((batch): Link => ({ context: batch }));
    const start = (name: string, kind: SpanKind, parent: Context, startTime?: Date): Span =>
      this.source.tracer.startSpan(name, { kind, links, attributes, startTime }, parent);
    const claim = start('claim', SpanKind.INTERNAL, context, claimedSince);
    claim.end();
    const span = start('authority call', SpanKind.CLIENT, trace.setSpan(ROOT_CONTEXT, claim));
    return { span, linkedTraceIds: traceIds.filter((traceId) => traceId !== getTraceId(span)) };
  }
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

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

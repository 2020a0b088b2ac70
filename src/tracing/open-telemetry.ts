import { Logger } from '@nestjs/common';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TraceSettings } from '../config/trace-settings.js';
import type { SpanSource } from './span-source.js';

// A process that stops waits for its last spans no longer.
const EXPORT_TIMEOUT_MS = 3_000;

/** The OpenTelemetry SDK, sending spans as OTLP/JSON. Only loaded if traces are configured. */
export function createSpanSource(settings: TraceSettings): SpanSource {
  const url = `${settings.endpoint}/v1/traces`;
  const exporter = withWarnings(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }));
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName }),
    sampler: createSampler(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS })],
  });
  // That the collector does not take the last spans is logged, and is no failure of the process that stops.
  const shutdown = (): Promise<void> => provider.shutdown().catch(() => undefined);
  return { tracer: provider.getTracer('einvoice'), shutdown };
}

/**
 * The parent decides if it is ours. A client's decides only if the operator trusts clients: else anyone could have all
 * their requests recorded.
 */
function createSampler({ ratio, trustsClients }: TraceSettings): Sampler {
  const root = sampleByChance(ratio);
  return new ParentBasedSampler(
    trustsClients ? { root } : { root, remoteParentSampled: root, remoteParentNotSampled: root },
  );
}

/**
 * Not TraceIdRatioBasedSampler: it decides by the trace id, which a client chooses. A call of several batches is
 * recorded if one of them is, so that each recorded submit shows what became of it.
 */
function sampleByChance(ratio: number): Sampler {
  return {
    shouldSample: (...[, , , , , links]: Parameters<Sampler['shouldSample']>) => {
      const isLinked = links.some(({ context }) => context.traceFlags !== 0);
      const isSampled = isLinked || Math.random() < ratio;
      return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
    },
    toString: () => `sampleByChance(${ratio})`,
  };
}

/** Says once when the collector stops taking spans, and once when it takes them again; what it missed is lost. */
function withWarnings(exporter: OTLPTraceExporter): SpanExporter {
  const logger = new Logger('Tracing');
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if ((result.error !== undefined) !== isFailing) {
          isFailing = !isFailing;
          if (isFailing) logger.warn(`Spans cannot be sent: ${result.error?.message ?? ''}`);
          else logger.log('Spans can be sent again');
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

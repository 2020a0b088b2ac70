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
import type { TraceSettings } from '../../config/trace-settings.js';
import type { SpanSource } from './span-source.js';

// Limits how long a stopping process waits for its last spans.
const EXPORT_TIMEOUT_MS = 3_000;

/** Starts the OpenTelemetry SDK with OTLP/JSON export. Loaded only if tracing is configured. */
export function createSpanSource(settings: TraceSettings): SpanSource {
  const url = `${settings.endpoint}/v1/traces`;
  const exporter = withWarnings(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }));
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName }),
    sampler: createSampler(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS })],
  });
  // The exporter logs a failed export of the last spans, which must not fail the shutdown.
  const shutdown = (): Promise<void> => provider.shutdown().catch(() => undefined);
  return { tracer: provider.getTracer('einvoice'), shutdown };
}

/** Follows the sampling decision of the parent. A client's decision counts only if the operator trusts clients. */
function createSampler({ ratio, trustsClients }: TraceSettings): Sampler {
  const root = sampleByChance(ratio);
  return new ParentBasedSampler(
    trustsClients ? { root } : { root, remoteParentSampled: root, remoteParentNotSampled: root },
  );
}

/**
 * Samples randomly, because a client can choose the trace id that TraceIdRatioBasedSampler uses. A call with several
 * batches is recorded if one of them is.
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

/** Logs once when exports start to fail and once when they work again. Failed spans are lost. */
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

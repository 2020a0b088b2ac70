import type { SettingsReader } from './settings-reader.js';

export interface TraceSettings {
  /** URL of an OTLP collector, without `/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** Fraction of requests to record, 0 to 1. */
  readonly ratio: number;
  readonly trustsClients: boolean;
}

const SAMPLERS = [
  'traceidratio',
  'always_on',
  'always_off',
  'parentbased_traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
] as const;

/** Reads OpenTelemetry's settings. Their default sampler would record every request or let the client decide. */
export function readTraceSettings(
  settings: SettingsReader,
  role: 'api' | 'dispatcher' | 'operator',
): TraceSettings | null {
  const sampler = settings.choice('OTEL_TRACES_SAMPLER', SAMPLERS, 'traceidratio');
  const share = settings.decimal('OTEL_TRACES_SAMPLER_ARG', { default: 0.1, minimum: 0, maximum: 1 });
  if (role === 'operator' || !settings.isSet('OTEL_EXPORTER_OTLP_ENDPOINT')) return null;
  return {
    endpoint: settings.url('OTEL_EXPORTER_OTLP_ENDPOINT'),
    serviceName: settings.text('OTEL_SERVICE_NAME', { default: `einvoice-${role}` }),
    ratio: sampler.endsWith('always_on') ? 1 : sampler.endsWith('always_off') ? 0 : share,
    trustsClients: sampler.startsWith('parentbased_'),
  };
}

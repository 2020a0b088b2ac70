import { describe, expect, it } from 'vitest';
import { SettingsError, SettingsReader } from './settings-reader.js';
import { readTraceSettings, type TraceSettings } from './trace-settings.js';

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318/';

function read(environment: Record<string, string>): TraceSettings | null {
  const settings = new SettingsReader(environment);
  const traces = readTraceSettings(settings, 'api');
  settings.assertNoProblems();
  return traces;
}

describe('trace settings', () => {
  it('turn tracing off without a collector', () => {
    expect(read({ OTEL_TRACES_SAMPLER: 'always_on' })).toBeNull();
  });

  it('record a tenth of the requests by default', () => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual({
      endpoint: 'http://127.0.0.1:4318',
      serviceName: 'einvoice-api',
      ratio: 0.1,
      trustsClients: false,
    });
  });

  it.each([
    { sampler: 'always_on', ratio: 1, trustsClients: false },
    { sampler: 'always_off', ratio: 0, trustsClients: false },
    { sampler: 'traceidratio', ratio: 0.5, trustsClients: false },
    { sampler: 'parentbased_always_on', ratio: 1, trustsClients: true },
    { sampler: 'parentbased_always_off', ratio: 0, trustsClients: true },
    { sampler: 'parentbased_traceidratio', ratio: 0.5, trustsClients: true },
  ])('support the sampler $sampler', ({ sampler, ...expected }) => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.5' };
    expect(read(settings)).toMatchObject(expected);
  });

  it('are rejected by name if they are invalid', () => {
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '10',
    };
    expect(() => read(settings)).toThrow(SettingsError);
    for (const name of Object.keys(settings)) expect(() => read(settings)).toThrow(name);
  });
});

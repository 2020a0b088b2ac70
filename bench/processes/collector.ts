import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closing } from '../../standalone/program.js';

/** Takes spans and keeps none. @returns the settings of a process that sends it those of so many of its requests */
export async function startCollector(closing: Closing, share: number): Promise<Record<string, string>> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    return Promise.resolve();
  };
  await closing.add({ close, kill: () => void close() });
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(share),
  };
}

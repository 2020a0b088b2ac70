import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, register } from 'prom-client';
import { readMetrics } from './metrics.js';

/** Metrics need no API key, so they are served on loopback unless METRICS_HOST is set. */
const LOOPBACK = '127.0.0.1';

export interface MetricsPage {
  readonly url: string;
  close(): Promise<void>;
}

export interface Readiness {
  readonly isReady: boolean;
  readonly body: object;
}

interface MetricsOptions {
  readonly host?: string;
  readonly readReadiness?: () => Promise<Readiness>;
}

type Page = () => Promise<{ status: number; type: string; text: string }>;

const JSON_TYPE = 'application/json; charset=utf-8';

function showJson(status: number, body: object): ReturnType<Page> {
  return Promise.resolve({ status, type: JSON_TYPE, text: JSON.stringify(body) });
}

/**
 * Serves `/metrics`, and `/live` and `/ready` if `readReadiness` is given. Port 0 selects a free port.
 * @throws Error with a code such as EADDRINUSE
 */
export async function serveMetrics(
  port: number,
  { host = LOOPBACK, readReadiness }: MetricsOptions = {},
): Promise<MetricsPage> {
  if (register.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics();
  const pages = new Map<string, Page>([
    ['/metrics', async () => ({ status: 200, type: register.contentType, text: await readMetrics() })],
  ]);
  if (readReadiness !== undefined) {
    pages.set('/live', () => showJson(200, { status: 'ok' }));
    pages.set('/ready', async () => {
      const { isReady, body } = await readReadiness();
      return showJson(isReady ? 200 : 503, body);
    });
  }
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '');
    if (page === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end(`There are ${[...pages.keys()].join(', ')}\n`);
      return;
    }
    page().then(
      ({ status, type, text }) => response.writeHead(status, { 'Content-Type': type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return { url: `http://${host}:${address.port}/metrics`, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

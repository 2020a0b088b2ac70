import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';

/** Who reads the figures needs no key, so nobody else's machine reaches them unless METRICS_HOST says so. */
const LOOPBACK = '127.0.0.1';

const requestSeconds = new Histogram({
  name: 'einvoice_http_request_duration_seconds',
  help: 'Time from the request line to the end of the answer',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
});

const loopWork = new Counter({
  name: 'einvoice_dispatcher_work_total',
  help: 'Units of work that the loops of the dispatcher did: calls made, submissions looked up, rows deleted',
  labelNames: ['loop'],
});

const loopErrors = new Counter({
  name: 'einvoice_dispatcher_errors_total',
  help: 'Ticks of a loop that ended in an error',
  labelNames: ['loop'],
});

const creditAudits = new Counter({
  name: 'einvoice_credit_audits_total',
  help: 'Audits that this process has made of what is new in the credits',
});

const creditDeviations = new Counter({
  name: 'einvoice_credit_deviations_total',
  help: 'Deviations that audits of the credits have found; each audit that meets one counts it again',
});

const deadLetters = new Counter({
  name: 'einvoice_event_dead_letters_total',
  help: 'Document events that a consumer failed to handle so often that an operator must act',
  labelNames: ['consumer'],
});

const rateLimited = new Counter({
  name: 'einvoice_rate_limited_total',
  help: 'Requests that were refused since a rate limit was used up',
  labelNames: ['limit'],
});

const heldPolls = new Gauge({
  name: 'einvoice_held_polls',
  help: 'Status responses that this process holds until something changes',
});

export function measureRequests(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    // The route's pattern, never the address: a label for every id would be a series for every id.
    const route = request.routeOptions.url ?? 'unknown';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    requestSeconds.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
}

export function countLoopWork(loop: string, amount: number): void {
  if (amount > 0) loopWork.inc({ loop }, amount);
}

export function countLoopError(loop: string): void {
  loopErrors.inc({ loop });
}

export function countCreditAudit(deviations: number): void {
  creditAudits.inc();
  creditDeviations.inc(deviations);
}

export function countDeadLetter(consumer: string): void {
  deadLetters.inc({ consumer });
}

export function countRateLimited(limit: string): void {
  rateLimited.inc({ limit });
}

export function measureHeldPolls(count: number): void {
  heldPolls.set(count);
}

export interface MetricsPage {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` of this process.
 * @param port 0 takes a free one
 * @param host the address that it listens on
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function serveMetrics(port: number, host = LOOPBACK): Promise<MetricsPage> {
  if (register.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics();
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Metrics are at /metrics\n');
      return;
    }
    register.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': register.contentType }).end(text),
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

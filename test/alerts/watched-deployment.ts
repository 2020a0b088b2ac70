import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/ports.js';
import { startCommand, untilReady } from '../support/program.js';
import { findInstalled, findPrometheus } from './debian-binaries.js';
import { PROMETHEUS } from './rules.js';

const HAPROXY_FILE = new URL('../haproxy/haproxy.cfg', PROMETHEUS);

/** Process that is stopped after the test. */
export interface Daemon {
  readonly url: string;
  stop(): Promise<void>;
}

/** Local addresses by process of compose.yaml. */
export type Addresses = Readonly<Record<string, string>>;

async function startDaemon(command: readonly string[], port: number, readyPath: string): Promise<Daemon> {
  const program = startCommand(command);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, url + readyPath);
  return { url, stop: () => program.stop() };
}

/** Copies a file of `deploy/` into a temporary folder and adapts it to this machine. */
async function copyWith(file: URL, change: (text: string) => string): Promise<string> {
  const copy = path.join(await mkdtemp(path.join(tmpdir(), 'watched-')), path.basename(file.pathname));
  await writeFile(copy, change(await readFile(file, 'utf8')));
  return copy;
}

/**
 * Starts HAProxy with its file but without TLS, and installs it if it is missing. `url` serves the metrics.
 * @param apis `HOST:PORT` by server
 */
export async function startHaproxy(apis: Addresses): Promise<Daemon & { readonly serviceUrl: string }> {
  const [port, httpPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const file = await copyWith(HAPROXY_FILE, (text) =>
    text
      .replace(/bind :8443 .*/, `bind 127.0.0.1:${port}`)
      .replace('bind :8080', `bind 127.0.0.1:${httpPort}`)
      .replace('bind :8405', `bind 127.0.0.1:${metricsPort}`)
      .replaceAll(/(server (\S+)) \S+:3000/g, (_, server: string, name: string) => `${server} ${apis[name]}`),
  );
  const daemon = await startDaemon([findInstalled('haproxy'), '-db', '-f', file], metricsPort, '/metrics');
  return { ...daemon, serviceUrl: `http://127.0.0.1:${port}` };
}

/** Notification that Alertmanager sends to the webhook of `pages`. */
export interface Notification {
  readonly status: 'firing' | 'resolved';
  readonly alertname: string;
  readonly severity: string;
}

/** Starts a paging service that records its notifications. */
export async function startPagingService(): Promise<Daemon & { readonly received: Notification[] }> {
  const received: Notification[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { alerts } = JSON.parse(body) as {
        alerts: { status: Notification['status']; labels: Record<string, string> }[];
      };
      for (const { status, labels } of alerts) {
        received.push({ status, alertname: labels.alertname, severity: labels.severity });
      }
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, received, stop };
}

/** Starts Alertmanager with its configuration file, shorter waits and `paging` as the only receiver of pages. */
export async function startAlertmanager(paging: string): Promise<Daemon> {
  const port = await freePort();
  const file = await copyWith(new URL('alertmanager.yml', PROMETHEUS), (text) =>
    text
      .replace(/- url: .*/, `- url: ${paging}`)
      .replace(/(name: pages[\s\S]*?)    email_configs:\n.*\n/, '$1')
      .replaceAll(/group_(wait|interval): \S+/g, 'group_$1: 100ms'),
  );
  const data = await mkdtemp(path.join(tmpdir(), 'alertmanager-'));
  const listen = [`--web.listen-address=127.0.0.1:${port}`, '--cluster.listen-address='];
  const program = findInstalled('prometheus-alertmanager');
  const command = [program, `--config.file=${file}`, `--storage.path=${data}`, ...listen];
  return startDaemon(command, port, '/-/ready');
}

/**
 * Starts Prometheus with its configuration file and with rules that wait seconds instead of minutes.
 * @param targets `HOST:PORT` by process of compose.yaml
 */
export async function startPrometheus(targets: Addresses): Promise<Daemon> {
  const port = await freePort();
  const file = await copyWith(new URL('prometheus.yml', PROMETHEUS), (text) =>
    text.replaceAll(/_interval: 15s/g, '_interval: 500ms').replaceAll(/[\w-]+:(?:9464|8405|9093)/g, (target) => {
      const [name] = target.split(':');
      return targets[name];
    }),
  );
  const rules = await readFile(new URL('alerts.yaml', PROMETHEUS), 'utf8');
  await writeFile(path.join(path.dirname(file), 'alerts.yaml'), rules.replaceAll(/for: \d+m/g, 'for: 2s'));
  const data = path.join(path.dirname(file), 'data');
  const listen = `--web.listen-address=127.0.0.1:${port}`;
  return startDaemon(
    [findPrometheus('prometheus'), `--config.file=${file}`, `--storage.tsdb.path=${data}`, listen],
    port,
    '/-/ready',
  );
}

/** Returns `ALERT SEVERITY INSTANCE` of each firing alert in alphabetical order. */
export async function readFiring({ url }: Daemon): Promise<string[]> {
  const response = await fetch(`${url}/api/v1/alerts`);
  const { data } = (await response.json()) as { data: { alerts: { state: string; labels: Record<string, string> }[] } };
  return data.alerts
    .filter(({ state }) => state === 'firing')
    .map(({ labels: { alertname, severity, instance = '' } }) => `${alertname} ${severity} ${instance}`.trim())
    .toSorted();
}

/** Returns Alertmanager's alerts about waiting organisations as sorted `SEVERITY REASON STATE` lines. */
export async function readBlockedStates({ url }: Daemon): Promise<string[]> {
  const response = await fetch(`${url}/api/v2/alerts?filter=alertname=EinvoiceOrganisationsWaiting`);
  const alerts = (await response.json()) as { labels: Record<string, string>; status: { state: string } }[];
  return alerts.map(({ labels, status }) => `${labels.severity} ${labels.reason} ${status.state}`).toSorted();
}

/** Returns whether Prometheus can scrape each instance. */
export async function readUp({ url }: Daemon): Promise<Record<string, boolean>> {
  const response = await fetch(`${url}/api/v1/query?query=up`);
  const { data } = (await response.json()) as {
    data: { result: { metric: { instance: string }; value: [number, string] }[] };
  };
  return Object.fromEntries(data.result.map(({ metric, value }) => [metric.instance, value[1] === '1']));
}

/** Returns the path of an operators' configuration file. */
export function pathOf(name: string): string {
  return fileURLToPath(new URL(name, PROMETHEUS));
}

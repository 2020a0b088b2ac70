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

/** A process of the system that ends with the test. */
export interface Daemon {
  readonly url: string;
  stop(): Promise<void>;
}

/** Where a process of compose.yaml is on this machine. */
export type Addresses = Readonly<Record<string, string>>;

async function startDaemon(command: readonly string[], port: number, readyPath: string): Promise<Daemon> {
  const program = startCommand(command);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, url + readyPath);
  return { url, stop: () => program.stop() };
}

/** The file of `deploy/` in a temporary folder, with the addresses of this machine. */
async function copyWith(file: URL, change: (text: string) => string): Promise<string> {
  const copy = path.join(await mkdtemp(path.join(tmpdir(), 'watched-')), path.basename(file.pathname));
  await writeFile(copy, change(await readFile(file, 'utf8')));
  return copy;
}

/**
 * HAProxy with its file, without TLS; installed when it is missing. Its `url` has the metrics.
 * @param apis hosts with ports, by server
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

/** What was sent to the webhook of `pages`, as Alertmanager sends it. */
export interface Notification {
  readonly status: 'firing' | 'resolved';
  readonly alertname: string;
  readonly severity: string;
}

/** A paging service that remembers. */
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

/** Alertmanager with its file: the waits are shorter, and pages reach `paging` alone. */
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
 * Prometheus with its file and the rules, which wait seconds instead of minutes.
 * @param targets hosts with ports, by the process of compose.yaml
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

/** @returns `ALERT SEVERITY` of each that fires, in alphabetical order, with the instance that it names */
export async function readFiring({ url }: Daemon): Promise<string[]> {
  const response = await fetch(`${url}/api/v1/alerts`);
  const { data } = (await response.json()) as { data: { alerts: { state: string; labels: Record<string, string> }[] } };
  return data.alerts
    .filter(({ state }) => state === 'firing')
    .map(({ labels: { alertname, severity, instance = '' } }) => `${alertname} ${severity} ${instance}`.trim())
    .toSorted();
}

/** @returns `SEVERITY REASON STATE` of each alert about waiting organisations in Alertmanager, in alphabetical order */
export async function readBlockedStates({ url }: Daemon): Promise<string[]> {
  const response = await fetch(`${url}/api/v2/alerts?filter=alertname=EinvoiceOrganisationsWaiting`);
  const alerts = (await response.json()) as { labels: Record<string, string>; status: { state: string } }[];
  return alerts.map(({ labels, status }) => `${labels.severity} ${labels.reason} ${status.state}`).toSorted();
}

/** @returns by instance whether Prometheus reaches it */
export async function readUp({ url }: Daemon): Promise<Record<string, boolean>> {
  const response = await fetch(`${url}/api/v1/query?query=up`);
  const { data } = (await response.json()) as {
    data: { result: { metric: { instance: string }; value: [number, string] }[] };
  };
  return Object.fromEntries(data.result.map(({ metric, value }) => [metric.instance, value[1] === '1']));
}

/** The path of a file that operators fill in. */
export function pathOf(name: string): string {
  return fileURLToPath(new URL(name, PROMETHEUS));
}

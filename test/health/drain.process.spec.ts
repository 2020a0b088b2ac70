import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTenant } from '../support/client.js';
import { type StartedServer, startApiProcess } from '../support/processes.js';
import { buildPrograms } from '../support/program.js';
import { TestService } from '../support/service.js';

// docs/operations.md#shutdown

const TIMEOUT_MS = 120_000;
const LONG_SECONDS = '600';

let service: TestService;
let api: StartedServer;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeEach(async () => {
  await buildPrograms();
  service = await TestService.start();
}, TIMEOUT_MS);
afterEach(async () => {
  api?.kill('SIGKILL');
  agent.destroy();
  await service?.stop();
});

/** Reuses one connection until the API closes it. */
function request(page: string): Promise<{ status: number; connection: string; isReused: boolean }> {
  return new Promise((resolve, reject) => {
    const sent = get(`${api.url}${page}`, { agent }, (response) => {
      const { statusCode = 0, headers } = response.resume();
      response.once('end', () =>
        resolve({ status: statusCode, connection: headers.connection ?? '', isReused: sent.reusedSocket }),
      );
    }).once('error', reject);
  });
}

describe('an API after SIGTERM', { timeout: TIMEOUT_MS }, () => {
  it('serves requests and closes their connections while unready', async () => {
    api = await startApiProcess({ ...service.settings, LOG_LEVEL: 'info', DRAIN_SECONDS: LONG_SECONDS });
    expect(await request('/health/ready')).toMatchObject({ status: 200, connection: 'keep-alive' });
    api.kill('SIGTERM');
    await api.printed('Not ready any more');
    expect(await request('/health/live')).toEqual({ status: 200, connection: 'close', isReused: true });
    expect(await request('/health/live')).toEqual({ status: 200, connection: 'close', isReused: false });
    expect(await request('/health/ready')).toMatchObject({ status: 503, connection: 'close' });
  });

  it('exits despite an unfinished request', async () => {
    const { apiKey } = await createTenant(service);
    api = await startApiProcess({ ...service.settings, LOG_LEVEL: 'info', DRAIN_SECONDS: '0.5' });
    const { hostname, port } = new URL(api.url);
    const client = connect(Number(port), hostname);
    const lost = once(client, 'close');
    client
      .on('error', () => undefined)
      .write(
        [
          'POST /api/v1/einvoice/submit HTTP/1.1',
          'Host: x',
          'Expect: 100-continue',
          `X-API-Key: ${apiKey}`,
          'idempotency-key: unfinished',
          'Content-Type: application/json',
          'Content-Length: 100',
          '',
          '{',
        ].join('\r\n'),
      );
    // The service reads the body.
    await once(client, 'data');
    api.kill('SIGTERM');
    expect(await api.ended).toEqual({ exitCode: 0, signal: null });
    await lost;
  });

  it('exits with 0 after draining', async () => {
    api = await startApiProcess({ ...service.settings, LOG_LEVEL: 'info', DRAIN_SECONDS: '0.5' });
    api.kill('SIGTERM');
    expect(await api.ended).toEqual({ exitCode: 0, signal: null });
    expect(api.output).toContain('Not ready any more; requests are served for 0.5 s');
  });
});

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ApiResponse, createTenant, request } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { organisation } from '../support/people.js';
import { openConnection, type RawConnection } from '../support/raw-connection.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

const LARGE_BYTES = 300_000;
const FILE_ROWS = 100_000;

/** Starts the shutdown and waits until new connections are refused. The caller must await the returned promise. */
async function beginStop(service: TestService): Promise<{ readonly stopped: Promise<void> }> {
  const stopped = service.stop();
  await until('the API closes its port', () => !(service.api.getHttpServer() as { listening: boolean }).listening);
  return { stopped };
}

interface Upload {
  readonly connection: RawConnection;
  /** Sends the last byte and returns the response. */
  finish(): Promise<ApiResponse>;
}

/** Sends a submit without its last byte. */
async function beginUpload(service: TestService, apiKey: string): Promise<Upload> {
  const documents = [invoice()];
  const body = JSON.stringify({ submission_type: 'non-consolidated', documents, ignored: 'x'.repeat(LARGE_BYTES) });
  const connection = openConnection(service);
  connection.begin('POST', '/api/v1/einvoice/submit', {
    'X-API-Key': apiKey,
    'idempotency-key': 'during-the-stop',
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  });
  connection.write(body.slice(0, -1));
  await connection.arrived();
  return {
    connection,
    finish: () => {
      connection.write(body.slice(-1));
      return connection.response();
    },
  };
}

// An open connection would delay the stop by its keep-alive timeout of 75 seconds.
describe('a stopping API', { timeout: 60_000 }, () => {
  it('closes an idle connection', async () => {
    const service = await TestService.start();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    // After this request, the API has accepted the earlier connection.
    expect((await request(service, '/health/live')).status).toBe(200);
    await service.stop();
    await closed;
  });

  it.each([
    ['with half of its first request head', ''],
    ['with half of its second request head', 'GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('closes a connection %s during another upload', async (_, earlier) => {
    const service = await TestService.start();
    const { apiKey } = await createTenant(service);
    const upload = await beginUpload(service, apiKey);
    const half = openConnection(service);
    if (earlier !== '') {
      half.write(earlier);
      expect((await half.response()).status).toBe(200);
    }
    half.write('GET /api/health/live HTTP/1.1\r\nHost:');
    await half.arrived();
    const { stopped } = await beginStop(service);
    await half.closed();
    expect((await upload.finish()).status).toBe(200);
    await stopped;
  });

  it('closes the connection of an upload after its response', async () => {
    const service = await TestService.start();
    const { apiKey } = await createTenant(service);
    const upload = await beginUpload(service, apiKey);
    const { stopped } = await beginStop(service);
    const { status, headers } = await upload.finish();
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    await upload.connection.closed();
    await stopped;
  });

  it('closes a download connection after the last byte', async () => {
    const service = await TestService.start();
    const { browser, tenantId } = await organisation(service);
    await service.owner.query(
      `INSERT INTO audit_entry (tenant_id, id, at, actor, action, subject, details)
       SELECT $1, gen_random_uuid(), service_now(), 'someone', 'key.created', repeat('x', 200), '{}'
         FROM generate_series(1, $2)`,
      [tenantId, FILE_ROWS],
    );
    // This client keeps its connection open after the response.
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const address = `${service.url}/dashboard/organisations/${tenantId}/audit.csv`;
    const [response] = (await once(get(address, { agent, headers: { Cookie: browser.cookie ?? '' } }), 'response')) as [
      IncomingMessage,
    ];
    const { stopped } = await beginStop(service);
    expect(response.complete).toBe(false);
    let lines = 0;
    for await (const chunk of response) lines += (chunk as Buffer).toString('latin1').split('\n').length - 1;
    expect([response.statusCode, response.complete]).toEqual([200, true]);
    expect(lines).toBeGreaterThan(FILE_ROWS);
    await stopped;
  });
});

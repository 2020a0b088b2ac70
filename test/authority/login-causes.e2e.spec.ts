import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AuthorityHarness, type Handler, inTime, json } from './support.js';

const SECRET = 'the-client-secret-that-no-line-shows';
const CERTIFICATES = new URL('../support/certificates/', import.meta.url);
const [cert, key] = ['server.cert.pem', 'other.key.pem'].map((name) => readFileSync(new URL(name, CERTIFICATES)));

let harness: AuthorityHarness;
const lines: unknown[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  harness = await AuthorityHarness.start();
  const note = (line: unknown): number => lines.push(line);
  Logger.overrideLogger({ log: note, warn: note, error: note });
});

afterEach(() => {
  lines.length = 0;
  for (const server of servers.splice(0)) server.close();
});

afterAll(async () => {
  Logger.overrideLogger(false);
  await harness?.stop();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Log lines of one login at this address. */
async function readLogOfLogin(authorityUrl: string, settings: Record<string, string> = {}): Promise<string> {
  const { tokens } = await harness.replica({
    authorityUrl,
    role: 'dispatcher',
    settings: { AUTHORITY_SANDBOX_CLIENT_SECRET: SECRET, ...settings },
  });
  await tokens.getToken('sandbox', await harness.taxpayer(), inTime());
  return JSON.stringify(lines);
}

const respond = (handler: Handler) => async (): Promise<string> => (await harness.serve(handler)).url;
const closeAtOnce = () =>
  createTcpServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end(),
  );

const CAUSES: [cause: string, url: () => Promise<string>, stated: RegExp][] = [
  ['an unresolvable host name', () => Promise.resolve('http://authority.invalid'), /ENOTFOUND|EAI_AGAIN/],
  ['a refused connection', async () => `http://127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
  [
    'a self-signed certificate',
    async () => `https://127.0.0.1:${await listen(createHttpsServer({ cert, key }))}`,
    /DEPTH_ZERO_SELF_SIGNED_CERT: the TLS certificate of 127\.0\.0\.1:\d+ is not trusted/,
  ],
  [
    'TLS on a plain HTTP port',
    async () => (await harness.serve(({ response }) => response.end())).url.replace('http:', 'https:'),
    /EPROTO: 127\.0\.0\.1:\d+ does not speak TLS/,
  ],
  [
    'plain HTTP on a TLS port',
    async () => `http://127.0.0.1:${await listen(createHttpsServer({ cert, key }))}`,
    /ECONNRESET: 127\.0\.0\.1:\d+ closed the connection; it may expect https:/,
  ],
  [
    'a non-HTTP protocol',
    async () => `http://127.0.0.1:${await listen(createTcpServer((socket) => socket.end('SSH-2.0-server\r\n')))}`,
    /HPE_INVALID_CONSTANT: 127\.0\.0\.1:\d+ does not speak HTTP/,
  ],
  ['a closed connection', async () => `http://127.0.0.1:${await listen(closeAtOnce())}`, /ECONNRESET/],
  [
    'an HTML page instead of a token',
    respond(({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')),
    /status 200 and an HTML page, which has no token/,
  ],
  [
    'an HTML page with an error status',
    respond(({ response }) => response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Blocked</html>')),
    /status 403 and an HTML page/,
  ],
  ['an HTTP status', respond(({ response }) => response.writeHead(503).end()), /status 503/],
  ['a redirect', respond(({ response }) => response.writeHead(302, { location: '/' }).end()), /status 302/],
  [
    'an authority error code',
    respond(({ response }) => json(response, 400, { error: 'invalid_request', error_description: `of ${SECRET}` })),
    /not-appointed \(the authority states invalid_request\)/,
  ],
  [
    'an error code that may concern our credentials',
    respond(({ response }) => json(response, 400, { error: 'unauthorized_client' })),
    /login-doubted \(the authority states unauthorized_client\)/,
  ],
  [
    'a Retry-After',
    respond(({ response }) => json(response, 429, {}, { 'retry-after': '7' })),
    /throttled \(the authority asks for a pause of 7 s\)/,
  ],
];

async function freePort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

describe('the log line of a failed login', () => {
  it.each(CAUSES)('states %s as the cause and omits the client secret', async (_, url, stated) => {
    const log = await readLogOfLogin(await url());
    expect(log).toMatch(/Login in sandbox: /);
    expect(log).toMatch(stated);
    expect(log).not.toContain(SECRET);
    await harness.owner.query('TRUNCATE call_budget');
  });
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { HttpService } from '@nestjs/axios';
import { create } from 'axios';
import type { DataSource } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import type { Configuration } from '../config/configuration.js';
import { AuthorityClock } from './authority-clock.js';
import type { Ending } from './ending.js';
import { AuthorityTransport, type TransportRequest } from './transport.js';

type Handler = (request: IncomingMessage, response: ServerResponse, index: number) => unknown;

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Starts an HTTP server whose handler receives the number of earlier requests. */
async function serve(handler: Handler): Promise<{ url: string; server: Server; connections: Set<Socket> }> {
  let requests = 0;
  const connections = new Set<Socket>();
  const server = createServer((request, response) => handler(request, response, requests++));
  server.on('connection', (socket) => connections.add(socket));
  const port = await listen(server);
  cleanUps.push(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${port}`, server, connections };
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function transportTo(apiUrl: string, identityUrl = apiUrl): AuthorityTransport {
  const authorities = {
    sandbox: { apiUrl, identityUrl, portalUrl: apiUrl, clientId: 'id', clientSecret: 'secret', rateFactor: 0 },
  };
  const configuration = { authorities } as unknown as Configuration;
  const clock = new AuthorityClock({} as DataSource, configuration);
  const transport = new AuthorityTransport(new HttpService(create()), configuration, clock);
  cleanUps.push(() => transport.onApplicationShutdown());
  return transport;
}

function request(change: Partial<TransportRequest> = {}): TransportRequest {
  return {
    environment: 'sandbox',
    api: 'submit',
    host: 'api',
    method: 'POST',
    path: '/api/v1.0/documentsubmissions',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer t' },
    body: Buffer.from('{"documents":[]}'),
    deadlineAt: performance.now() + 10_000,
    ...change,
  };
}

function soon(): number {
  return performance.now() + 150;
}

async function text(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

describe('authority transport', () => {
  it('sends the exact bytes and returns the whole response', async () => {
    const seen: unknown[] = [];
    const { url } = await serve(async (incoming, response) => {
      const body = await text(incoming);
      const { method, url: path, headers } = incoming;
      seen.push(method, path, body, headers['accept-language'], headers.authorization, headers['content-type']);
      response.writeHead(202, { correlationId: '0HNDA9M25MBJ0:00000025', 'X-Rate-Limit-Remaining': '7' });
      response.end('{"submissionUid":null}');
    });
    expect(await transportTo(url).request(request())).toMatchObject({
      kind: 'response',
      status: 202,
      body: { submissionUid: null },
      text: '{"submissionUid":null}',
      correlationId: '0HNDA9M25MBJ0:00000025',
      headers: { 'x-rate-limit-remaining': '7' },
    });
    expect(seen).toEqual([
      'POST',
      '/api/v1.0/documentsubmissions',
      '{"documents":[]}',
      'en',
      'Bearer t',
      'application/json',
    ]);
  });

  it.each([
    ['an HTML page', '<html></html>'],
    ['truncated JSON', '{"submissionUid":"4GP7'],
    ['an empty text', ''],
  ])('returns a null body for %s', async (_, body) => {
    const { url } = await serve((_incoming, response) => response.writeHead(202).end(body));
    expect(await transportTo(url).request(request())).toMatchObject({
      kind: 'response',
      status: 202,
      body: null,
      text: body,
    });
  });

  it('does not follow a redirect to another host', async () => {
    let isElsewhereAsked = false;
    const elsewhere = await serve((_incoming, response) => {
      isElsewhereAsked = true;
      response.end();
    });
    const { url } = await serve((_incoming, response) => response.writeHead(307, { location: elsewhere.url }).end());
    expect(await transportTo(url).request(request())).toMatchObject({ kind: 'response', status: 307 });
    expect(isElsewhereAsked).toBe(false);
  });

  it('sends each request to its own host', async () => {
    const api = await serve((_incoming, response) => response.end('"api"'));
    const identity = await serve((_incoming, response) => response.end('"identity"'));
    const transport = transportTo(api.url, identity.url);
    expect(await transport.request(request({ host: 'identity' }))).toMatchObject({ body: 'identity' });
    expect(await transport.request(request({ host: 'api' }))).toMatchObject({ body: 'api' });
  });

  it('reuses a connection', async () => {
    const { url, connections } = await serve((incoming, response) => {
      incoming.resume().on('end', () => response.end('{}'));
    });
    const transport = transportTo(url);
    for (let call = 0; call < 3; call += 1) expect((await transport.request(request())).kind).toBe('response');
    expect(connections.size).toBe(1);
  });

  it('decompresses a response', async () => {
    const { url } = await serve((_incoming, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"ok":true}'));
    });
    expect(await transportTo(url).request(request())).toMatchObject({ kind: 'response', body: { ok: true } });
  });
});

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

describe('result not-sent', () => {
  it.each(['http', 'https'])('is returned for a refused %s connection', async (protocol) => {
    const ending = await transportTo(`${protocol}://127.0.0.1:${await closedPort()}`).request(request());
    expect(ending).toMatchObject({ kind: 'not-sent', isGivenUp: false });
  });

  it.each(['http', 'https'])('is returned for an unreachable %s address', async (protocol) => {
    // The broadcast address has no route for TCP.
    const ending = await transportTo(`${protocol}://255.255.255.255`).request(request());
    expect(ending).toMatchObject({ kind: 'not-sent', isGivenUp: false });
  });

  it('is returned for an unknown host name', async () => {
    const ending = await transportTo('http://authority.invalid').request(request());
    expect(ending).toMatchObject({ kind: 'not-sent', isGivenUp: false });
  });

  it('is returned for a failed TLS handshake', async () => {
    const server = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const port = await listen(server);
    expect(await transportTo(`https://127.0.0.1:${port}`).request(request())).toMatchObject({ kind: 'not-sent' });
  });

  it('is returned for a TLS handshake that exceeds the deadline', async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => sockets.push(socket.on('error', () => undefined)));
    const port = await listen(server);
    const ending = await transportTo(`https://127.0.0.1:${port}`).request(request({ deadlineAt: soon() }));
    expect(ending).toMatchObject({ kind: 'not-sent', isGivenUp: false });
    for (const socket of sockets) socket.destroy();
  });

  it.each<[string, Partial<TransportRequest>]>([
    ['a passed deadline', { deadlineAt: performance.now() - 1 }],
    ['an aborted signal', { signal: AbortSignal.abort() }],
  ])('is returned for %s before any request', async (_, change) => {
    let requests = 0;
    const { url } = await serve((_incoming, response) => {
      requests += 1;
      response.end();
    });
    expect(await transportTo(url).request(request(change))).toMatchObject({ kind: 'not-sent', isGivenUp: true });
    expect(requests).toBe(0);
  });
});

describe('result no-response', () => {
  async function requestOnce(handler: Handler, change: Partial<TransportRequest> = {}): Promise<Ending> {
    const { url } = await serve(handler);
    return transportTo(url).request(request(change));
  }

  it('is returned if the deadline passes before the headers', async () => {
    expect((await requestOnce(() => undefined, { deadlineAt: soon() })).kind).toBe('no-response');
  });

  it('is returned if the deadline passes while the body is read', async () => {
    const ending = await requestOnce((_, response) => response.writeHead(202).write('{"submissionUid":'), {
      deadlineAt: soon(),
    });
    expect(ending).toMatchObject({ kind: 'no-response', reason: 'no complete response before the deadline' });
  });

  it('is returned for a slow body that exceeds the deadline', async () => {
    const ending = await requestOnce(
      (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(timer));
      },
      { deadlineAt: soon() },
    );
    expect(ending.kind).toBe('no-response');
  });

  it.each<[string, Handler]>([
    ['before the response', (incoming) => incoming.socket.destroy()],
    ['by a reset', (incoming) => incoming.socket.resetAndDestroy()],
    [
      'within a body of known length',
      (incoming, response) => {
        response.writeHead(202, { 'content-length': '1000' }).write('{');
        response.socket?.end(() => incoming.socket.destroy());
      },
    ],
    [
      'within a chunked body',
      (incoming, response) => {
        response.writeHead(202).write('{"submissionUid":null}');
        response.socket?.end(() => incoming.socket.destroy());
      },
    ],
  ])('is returned for a connection closed %s', async (_, handler) => {
    expect((await requestOnce(handler)).kind).toBe('no-response');
  });

  it('is returned for a reused connection closed by the server', async () => {
    const { url } = await serve((incoming, response, index) => {
      if (index > 0) incoming.socket.destroy();
      else incoming.resume().on('end', () => response.end('{}'));
    });
    const transport = transportTo(url);
    expect((await transport.request(request())).kind).toBe('response');
    expect((await transport.request(request())).kind).toBe('no-response');
  });

  it('is returned for a response that is not HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('hello\r\n\r\n'));
    const port = await listen(server);
    expect((await transportTo(`http://127.0.0.1:${port}`).request(request())).kind).toBe('no-response');
  });

  it.each([
    ['plain', (body: Buffer) => body, {}],
    ['compressed', (body: Buffer) => gzipSync(body), { 'content-encoding': 'gzip' }],
  ])('is returned for a %s response over 10 MB', async (_, pack, headers) => {
    const ending = await requestOnce((_incoming, response) => {
      response.writeHead(200, headers).end(pack(Buffer.alloc(11 * 1024 * 1024, 0x20)));
    });
    expect(ending.kind).toBe('no-response');
  });

  it('is returned for a call aborted in progress', async () => {
    const abort = new AbortController();
    const ending = await requestOnce(() => abort.abort(), { signal: abort.signal });
    expect(ending).toEqual({ kind: 'no-response', reason: 'given up while in flight', isGivenUp: true });
  });

  it('does not contain the token', async () => {
    const ending = await requestOnce((incoming) => incoming.socket.destroy(), {
      headers: { Authorization: 'Bearer sesame' },
    });
    expect(JSON.stringify(ending)).not.toContain('sesame');
  });
});

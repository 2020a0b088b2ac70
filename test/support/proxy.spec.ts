import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from './until.js';
import { FaultProxy } from './proxy.js';

let server: Server;
let proxy: FaultProxy;
let received: string;
let clients: Socket[];

// Echoes the bytes that it receives.
beforeEach(async () => {
  received = '';
  clients = [];
  server = createServer((socket) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
      socket.write(chunk);
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  proxy = await FaultProxy.open(() => port);
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await proxy.close();
  server.close();
});

async function open(): Promise<Socket> {
  const client = connect({ port: proxy.port, host: '127.0.0.1' });
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

async function echo(client: Socket, text: string): Promise<string> {
  client.write(text);
  const [chunk] = (await once(client, 'data')) as [Buffer];
  return chunk.toString();
}

it('forwards bytes and the end of a connection', async () => {
  const client = await open();
  expect(await echo(client, 'hello')).toBe('hello');
  client.end();
  await once(client, 'close');
});

it('delays every chunk in both directions', async () => {
  proxy.applyToxics({ latencyMs: 100 });
  const startedAt = performance.now();
  expect(await echo(await open(), 'late')).toBe('late');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
});

it('delays the end of a connection in both directions', async () => {
  proxy.applyToxics({ closeDelayMs: 100 });
  const client = (await open()).resume();
  const startedAt = performance.now();
  client.end();
  await once(client, 'close');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
});

it('delivers held bytes once the toxic is cleared', async () => {
  const client = await open();
  await echo(client, 'a');
  proxy.applyToxics({ isHeld: true });
  client.write('b');
  await until('the proxy holds the chunk', () => proxy.isHolding);
  expect(received).toBe('a');
  const answer = once(client, 'data');
  proxy.clearToxics();
  expect(((await answer) as [Buffer])[0].toString()).toBe('b');
});

it('drops bytes only on connections that carry bytes during a black hole', async () => {
  const [lost, idle] = [await open(), await open()];
  await echo(lost, '1');
  await echo(idle, '2');
  proxy.applyToxics({ isBlackHole: true });
  lost.write('gone');
  (await open()).write('gone too');
  await until('both links have lost bytes', () => proxy.lostLinks >= 2);
  proxy.clearToxics();
  lost.write('never');
  expect(await echo(idle, '3')).toBe('3');
  expect(await echo(await open(), '4')).toBe('4');
  expect(received).toBe('1234');
});

it('resets every open connection', async () => {
  const client = await open();
  await echo(client, 'x');
  const failing = once(client, 'error');
  proxy.reset();
  const [error] = (await failing) as [{ code: string }];
  expect(error.code).toBe('ECONNRESET');
});

it('refuses connections until it listens on its port again', async () => {
  await proxy.refuse();
  const refused = connect({ port: proxy.port, host: '127.0.0.1' });
  expect(await once(refused, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
  await proxy.listen();
  expect(await echo(await open(), 'again')).toBe('again');
});

import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { chooseCoding, compressMarkedResponses } from './compression.js';

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0.1', 'gzip'],
  ['br; q=0.000', undefined],
  ['identity', undefined],
  ['brotli', undefined],
  ['', undefined],
])('compression uses the smallest encoding for Accept-Encoding "%s": %s', (accepted, expected) => {
  expect(chooseCoding(accepted)?.name).toBe(expected);
});

it.each(['br', 'gzip'])('compression sends the first part of a %s stream before the second exists', async (coding) => {
  let release: (part: string) => void = () => undefined;
  const second = new Promise<string>((resolve) => (release = resolve));
  async function* makeParts(): AsyncGenerator<string> {
    yield 'Number,Status';
    yield await second;
  }
  const server = fastify();
  compressMarkedResponses(server);
  server.get('/', { config: { isCompressed: true } }, (_request, reply) => reply.send(Readable.from(makeParts())));
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    const headers = { 'Accept-Encoding': coding, 'Sec-Fetch-Site': 'same-origin' };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
    expect(response.headers.get('content-encoding')).toBe(coding);
    const received: string[] = [];
    for await (const part of response.body ?? []) {
      received.push(Buffer.from(part).toString());
      release('INV-1,Valid');
    }
    expect(received).toEqual(['Number,Status', 'INV-1,Valid']);
  } finally {
    await server.close();
  }
});

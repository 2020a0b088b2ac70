import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import { AddRouteConfig } from './route-config.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    isCompressed?: boolean;
  }
}

const BYTES_MIN = 1_024;
// Produces at most 10 % more bytes than the best quality, 20 times as fast.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

interface Coding {
  readonly name: string;
  readonly compress: (text: string | Buffer) => Promise<Buffer>;
  readonly createStream: () => NodeJS.ReadWriteStream;
}

const compressBrotli = promisify<string | Buffer, typeof BROTLI, Buffer>(brotliCompress);

/**
 * In order of preference. Streams are flushed after each chunk, because brotli would buffer the first megabytes until a
 * proxy times out. Browsers offer brotli only over HTTPS and for localhost.
 */
const CODINGS: readonly Coding[] = [
  {
    name: 'br',
    compress: (text) => compressBrotli(text, BROTLI),
    createStream: () => createBrotliCompress({ ...BROTLI, flush: constants.BROTLI_OPERATION_FLUSH }),
  },
  {
    name: 'gzip',
    compress: promisify<string | Buffer, Buffer>(gzip),
    createStream: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
  },
];

/**
 * Compresses the responses of a dashboard handler.
 *
 * Compression is opt-in because of BREACH: an attacker who can add text to a response, repeat the request and see the
 * size can guess a secret in it. Responses with secrets, such as CSRF tokens, keys and invitation links, must not be
 * compressed. Lists contain text from strangers, so only requests from the page itself are compressed. Requests from
 * other sites have no cookie (`SameSite=Strict`), and those from other hosts of the domain send `same-site`.
 */
export function Compressed(): MethodDecorator {
  return AddRouteConfig({ isCompressed: true });
}

export function compressMarkedResponses(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.config?.isCompressed !== true) return;
    route.onSend = [
      ...toList(route.onSend),
      createHook('Accept-Encoding, Sec-Fetch-Site', ({ headers }) => headers['sec-fetch-site'] === 'same-origin'),
    ];
  });
}

export function compressPublicResponses(fastify: FastifyInstance, path: string): void {
  fastify.addHook('onRoute', (route) => {
    if (!route.url.startsWith(path)) return;
    route.onSend = [...toList(route.onSend), createHook('Accept-Encoding', () => true)];
  });
}

function toList<T>(hooks: T | T[] | undefined): T[] {
  return hooks === undefined ? [] : ([hooks].flat() as T[]);
}

function createHook(vary: string, isAllowed: (request: FastifyRequest) => boolean): onSendAsyncHookHandler {
  return async (request, reply, payload) => {
    void reply.header('Vary', vary);
    const coding = isAllowed(request) ? chooseCoding(request.headers['accept-encoding'] ?? '') : undefined;
    if (coding === undefined || !isWhole(request, reply)) return payload;
    const compressed = await compress(payload, coding);
    if (compressed === null) return payload;
    void reply.removeHeader('Content-Length').header('Content-Encoding', coding.name);
    return compressed;
  };
}

function isWhole(request: FastifyRequest, reply: FastifyReply): boolean {
  return request.method === 'GET' && reply.statusCode === 200 && !reply.hasHeader('Content-Encoding');
}

async function compress(payload: unknown, { compress, createStream }: Coding): Promise<Buffer | Readable | null> {
  if (payload instanceof Readable) return pipeline(payload, createStream(), () => {}) as unknown as Readable;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return null;
  return Buffer.byteLength(payload) < BYTES_MIN ? null : compress(payload);
}

export function chooseCoding(accepted: string): Coding | undefined {
  const codings = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((one) => one.trim()));
  const isAccepted = (name: string): boolean =>
    codings.some(([coding, ...parameters]) => coding === name && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)));
  return CODINGS.find(({ name }) => isAccepted(name));
}

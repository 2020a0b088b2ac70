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

// Below it, what the headers of a compressed response add is not won back.
const BYTES_MIN = 1_024;
// Within a tenth of the best size, at a twentieth of its time.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

interface Coding {
  readonly name: string;
  readonly compress: (text: string | Buffer) => Promise<Buffer>;
  readonly createStream: () => NodeJS.ReadWriteStream;
}

const compressBrotli = promisify<string | Buffer, typeof BROTLI, Buffer>(brotliCompress);

/**
 * In the order of preference. A stream sends each part as it comes: brotli would keep the first megabytes, and a proxy
 * would give up on a list that is found slowly. Browsers offer brotli over HTTPS and to localhost only. */
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
 * Compresses the responses of a handler of the dashboard.
 *
 * The size of a compressed response says whether two parts of it are alike. Someone who can put text of their choice
 * into it, have it requested again and again, and see its size, guesses a secret in it letter by letter (BREACH). So
 * compression is off unless a handler turns it on, and none whose response has a secret may: not the session with its
 * CSRF token, not a new key, not the link of an invitation. What lists show is not public either, and people outside of
 * the organisation write into it, such as the names of buyers; so only what the page itself asks for is compressed. A
 * request that another site makes has no cookie (`SameSite=Strict`), and what another host of this domain makes says
 * `same-site`.
 */
export function Compressed(): MethodDecorator {
  return AddRouteConfig({ isCompressed: true });
}

/** Compresses what handlers have turned it on for. The responses to API keys are not among it: their hot paths pay nothing. */
export function compressMarkedResponses(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.config?.isCompressed !== true) return;
    route.onSend = [
      ...toList(route.onSend),
      createHook('Accept-Encoding, Sec-Fetch-Site', ({ headers }) => headers['sec-fetch-site'] === 'same-origin'),
    ];
  });
}

/** Compresses all below a path that is public, and so has no secret. */
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

/** The preferred one of the codings that a client accepts. */
export function chooseCoding(accepted: string): Coding | undefined {
  const codings = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((one) => one.trim()));
  const isAccepted = (name: string): boolean =>
    codings.some(([coding, ...parameters]) => coding === name && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)));
  return CODINGS.find(({ name }) => isAccepted(name));
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ApiError, HttpProtocolError, ValidationError } from '../errors/api-error.js';
import { limitLargeBodies, SMALL_BODY_BYTES_MAX } from './large-bodies.js';
import { parseJson } from './parse-json.js';
import { type RepeatedMember, buildRepeatedProblem } from './repeated-members.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    mayLackBody?: boolean;
    /** Keeps bodies of up to 10 MB unparsed. The handler parses them, large ones in a worker thread. */
    keepsBytes?: boolean;
    /** The handler reports repeated members itself, together with all other problems. */
    namesRepeatedMembers?: boolean;
  }
  interface FastifyRequest {
    repeatedMembers?: readonly RepeatedMember[] | undefined;
    /** Time on the database's clock at which the key or session was checked. */
    receivedAt?: Date;
    /** An error after which the response may keep the connection open. */
    bodyError?: ApiError;
  }
}

export const BODY_BYTES_MAX = 10 * 1024 * 1024;

const ENCODING_CHARACTERS_MAX = 40;

/** Limit for a request without an organisation, such as a sign-in. */
export const PUBLIC_BODY_BYTES_MAX = 16 * 1024;

/**
 * Accepts only `application/json` bodies. `tenantIdOf` returns the organisation whose share of memory a large
 * body uses.
 */
export function acceptJsonOnly(fastify: FastifyInstance, tenantIdOf: (request: FastifyRequest) => string | null): void {
  const reserve = limitLargeBodies(fastify);
  const receive = createBodyReceiver(fastify.server);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const tenantId = tenantIdOf(request);
    const keepsBytes = request.routeOptions.config.keepsBytes === true;
    const limits = {
      bytesMax: tenantId === null ? PUBLIC_BODY_BYTES_MAX : keepsBytes ? BODY_BYTES_MAX : SMALL_BODY_BYTES_MAX,
      grow: (length: number) => tenantId !== null && reserve(request, tenantId, length),
      keepOpen: (error: ApiError) => {
        request.bodyError = error;
      },
    };
    try {
      const bytes = await receive(request.raw, limits);
      rejectEncoding(request.headers['content-encoding']);
      return keepsBytes ? bytes : parseBody(request, bytes);
    } catch (error) {
      if (error !== request.bodyError) throw error;
      return undefined;
    }
  });
  fastify.addHook('preValidation', checkBody);
}

function rejectEncoding(encoding = ''): void {
  if (/^[\s,]*(?:identity[\s,]*)*$/i.test(encoding)) return;
  const message =
    `The body is sent with Content-Encoding: ${encoding.slice(0, ENCODING_CHARACTERS_MAX)}, which this service does not ` +
    'decode; send it uncompressed, without Content-Encoding';
  throw new HttpProtocolError(415, 'unsupported_media_type', message);
}

/** @throws HttpProtocolError (400) for malformed JSON, ValidationError (400) for repeated members */
function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const parsed = parseJson(bytes);
  if ('malformed' in parsed) throw buildMalformed(parsed.malformed);
  request.repeatedMembers = parsed.repeatedMembers;
  const ambiguous = (parsed.repeatedMembers ?? []).filter(({ isSame }) => !isSame);
  if (ambiguous.length > 0 && request.routeOptions.config.namesRepeatedMembers !== true) {
    throw new ValidationError(ambiguous.map(buildRepeatedProblem));
  }
  return parsed.value;
}

export function buildMalformed(message: string): HttpProtocolError {
  return new HttpProtocolError(400, 'malformed_json', message);
}

function checkBody(request: FastifyRequest): Promise<void> {
  // After a parser error, Fastify closes the connection. A client that is still sending its body would then miss
  // the response.
  if (request.bodyError !== undefined) return Promise.reject(request.bodyError);
  // Fastify runs no parser for a request without a Content-Type and a body.
  if (request.method !== 'POST' || request.body !== undefined) return Promise.resolve();
  if (request.routeOptions.config.mayLackBody === true) return Promise.resolve();
  const message = 'The body must be sent uncompressed with Content-Type: application/json, without Content-Encoding';
  return Promise.reject(new HttpProtocolError(415, 'unsupported_media_type', message));
}

const MEGABYTE = 1024 * 1024;

/**
 * Maximum size of a rejected body that is read and discarded. Most clients read the response only after sending the
 * whole body, and send it again if the connection closes earlier.
 */
export const DISCARDED_BYTES_MAX = 32 * MEGABYTE;

interface BodyLimits {
  readonly bytesMax: number;
  /** Called with the new length before a chunk is stored. @throws ApiError to reject the body */
  readonly grow: (length: number) => void;
  /** Called with each error after which the connection may stay open because the body is discarded. */
  readonly keepOpen: (error: ApiError) => void;
}

/**
 * Reads a request body into memory.
 * @throws ApiError if the body is too long, incomplete, or exceeds the memory limit
 */
type ReceiveBody = (request: IncomingMessage, limits: BodyLimits) => Promise<Buffer>;

function createBodyReceiver(server: Server): ReceiveBody {
  // Requests whose API key is checked before `100 Continue` is sent. After a rejection, Node closes the connection
  // because the client may or may not send the body.
  const expectingContinue = new WeakMap<IncomingMessage, ServerResponse>();
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectingContinue.set(request, response);
    server.emit('request', request, response);
  });
  return (request, limits) => {
    const length = Number(request.headers['content-length'] ?? 0);
    const response = expectingContinue.get(request);
    if (length > DISCARDED_BYTES_MAX || (length > limits.bytesMax && response !== undefined))
      return Promise.reject(buildTooLarge(limits.bytesMax));
    if (length > limits.bytesMax) return reject(request, buildTooLarge(limits.bytesMax), limits);
    response?.writeContinue();
    return receive(request, limits);
  };
}

/** Discards the rest of the body and throws `error` as soon as its response may be sent. */
async function reject(request: IncomingMessage, error: ApiError, { keepOpen }: BodyLimits): Promise<never> {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > DISCARDED_BYTES_MAX) request.socket.destroy();
  });
  // Node closes such a connection after the response, so the client must finish sending first.
  if (/\bclose\b/i.test(request.headers.connection ?? '')) {
    await new Promise((resolve) => request.once('end', resolve).once('close', resolve));
  }
  keepOpen(error);
  throw error;
}

function receive(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  let received: Received = { buffer: Buffer.alloc(0), length: 0 };
  const announced = Math.min(Number(request.headers['content-length'] ?? 0), SMALL_BODY_BYTES_MAX);
  return new Promise((resolve, fail) => {
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer): void => {
      const length = received.length + chunk.length;
      try {
        if (length > limits.bytesMax) throw buildTooLarge(limits.bytesMax);
        limits.grow(length);
        received = append(received, chunk, announced);
      } catch (error) {
        stop();
        reject(request, error as ApiError, limits).catch(fail);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(received.buffer.subarray(0, received.length));
    };
    const onClose = (): void => {
      stop();
      fail(new HttpProtocolError(400, 'malformed_request', 'The body is incomplete'));
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

interface Received {
  /** The buffer may be longer than `length`. */
  readonly buffer: Buffer;
  readonly length: number;
}

/** Copies chunks into one buffer, because a list of one-byte chunks would take a hundred times their length. */
function append({ buffer, length }: Received, chunk: Buffer, announced: number): Received {
  const longer = length + chunk.length;
  if (length === 0) return { buffer: chunk, length: longer };
  if (longer <= buffer.length) {
    chunk.copy(buffer, length);
    return { buffer, length: longer };
  }
  const larger = Buffer.allocUnsafe(longer <= announced ? announced : 2 * longer);
  buffer.copy(larger, 0, 0, length);
  chunk.copy(larger, length);
  return { buffer: larger, length: longer };
}

function buildTooLarge(bytesMax: number): HttpProtocolError {
  const limit =
    bytesMax < MEGABYTE ? `${bytesMax / 1024} KB` : `${bytesMax / MEGABYTE} MB; send fewer documents in each request`;
  return new HttpProtocolError(413, 'body_too_large', `The body exceeds the limit of ${limit}`);
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type ApiError, HttpProtocolError } from '../errors/api-error.js';
import { SMALL_BODY_BYTES_MAX } from './large-bodies.js';

const MEGABYTE = 1024 * 1024;

/**
 * Maximum size of a rejected body that is read and discarded. Most clients read the response only after sending the
 * whole body, and send it again if the connection closes earlier.
 */
export const DISCARDED_BYTES_MAX = 32 * MEGABYTE;

export interface BodyLimits {
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
export type ReceiveBody = (request: IncomingMessage, limits: BodyLimits) => Promise<Buffer>;

export function createBodyReceiver(server: Server): ReceiveBody {
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

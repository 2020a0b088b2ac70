import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { HttpProtocolError } from '../errors/api-error.js';
import { SMALL_BODY_BYTES_MAX } from './large-bodies.js';

/** What a large body must bring in each interval, or it is ended: what it holds is room that others wait for. */
const PROGRESS_BYTES_MIN = 64 * 1024;
const PROGRESS_MS = 5_000;

/**
 * How much of a body that is too long is read and discarded. Most clients read the response only after they have sent
 * everything. If the connection is closed before, they see EPIPE and send the same body again.
 */
export const DISCARDED_BYTES_MAX = 32 * 1024 * 1024;

export interface BodyLimits {
  readonly bytesMax: number;
  /** Is told how long the body has become, before that is kept; what it throws refuses the body. */
  readonly grow: (length: number) => void;
  /** Learns of a refusal after which the connection may stay open, since what the client sends is read on. */
  readonly keepOpen: (refusal: HttpProtocolError) => void;
}

/** Reads the body of a request into memory. @throws ApiError when it is too long, too slow, cut off, or may not grow */
export type ReceiveBody = (request: IncomingMessage, limits: BodyLimits) => Promise<Buffer>;

export function createBodyReceiver(server: Server): ReceiveBody {
  // A client that asks whether to send its body is told so when the body is to be read, and not before its key was
  // checked. When it is refused instead, Node closes the connection, on which nobody knows whether the body follows.
  const asking = new WeakMap<IncomingMessage, ServerResponse>();
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    asking.set(request, response);
    server.emit('request', request, response);
  });
  return (request, limits) => {
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > DISCARDED_BYTES_MAX || (length > limits.bytesMax && asking.has(request)))
      return Promise.reject(tooLarge(limits.bytesMax));
    if (length > limits.bytesMax) return refuseLength(request, limits);
    asking.get(request)?.writeContinue();
    return receive(request, limits);
  };
}

async function refuseLength(request: IncomingMessage, { bytesMax, keepOpen }: BodyLimits): Promise<never> {
  const refusal = tooLarge(bytesMax);
  await discard(request);
  keepOpen(refusal);
  throw refusal;
}

/** Reads and throws away what a refused client still sends. Resolves when the response may be sent. */
function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let length = 0;
    const respond = (): void => {
      clearInterval(watch);
      resolve();
    };
    const watch = watchProgress(() => length, respond);
    request
      .on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > DISCARDED_BYTES_MAX) request.socket.destroy();
      })
      .once('end', respond)
      .once('close', respond);
    // Node closes the connection of a client that asks for it with the response. Others may have theirs immediately.
    if (!/\bclose\b/i.test(request.headers.connection ?? '')) respond();
  });
}

function receive(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  let body: Buffer = Buffer.alloc(0);
  let length = 0;
  // A body of the usual length gets room for all of it; a larger one gets its room as it arrives.
  const announced = Math.min(Number(request.headers['content-length'] ?? 0), SMALL_BODY_BYTES_MAX);
  let watch: NodeJS.Timeout | undefined;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearInterval(watch);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const refuse = (error: Error): void => {
      stop();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (length + chunk.length > limits.bytesMax) {
          stop();
          refuseLength(request, limits).catch(reject);
          return;
        }
        limits.grow(length + chunk.length);
      } catch (error) {
        refuse(error as Error);
        void discard(request);
        return;
      }
      body = appended({ body, length, announced }, chunk);
      length += chunk.length;
      if (length > SMALL_BODY_BYTES_MAX) watch ??= watchProgress(() => length, refuse);
    };
    const onEnd = (): void => {
      stop();
      resolve(body.subarray(0, length));
    };
    const onClose = (): void => refuse(new HttpProtocolError(400, 'malformed_request', 'The body was cut off'));
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

interface Received {
  /** May have more space than is used. */
  readonly body: Buffer;
  /** What is used of it. */
  readonly length: number;
  /** How long it is to become; less for a large one. */
  readonly announced: number;
}

/**
 * A body and what follows it, in one piece: a list of chunks of one byte would take a hundred times their length.
 */
function appended({ body, length, announced }: Received, chunk: Buffer): Buffer {
  if (length === 0) return chunk;
  const longer = length + chunk.length;
  const target = longer <= body.length ? body : Buffer.allocUnsafe(longer <= announced ? announced : 2 * longer);
  if (target !== body) body.copy(target, 0, 0, length);
  chunk.copy(target, length);
  return target;
}

function watchProgress(lengthNow: () => number, refuse: (error: Error) => void): NodeJS.Timeout {
  let before = lengthNow();
  const check = (): void => {
    const length = lengthNow();
    if (length - before < PROGRESS_BYTES_MIN) refuse(new HttpProtocolError(408, 'request_timeout', TOO_SLOW));
    before = length;
  };
  // What has come while this process was busy is read first: timers come before sockets, and immediates after them.
  return setInterval(() => setImmediate(check), PROGRESS_MS);
}

const TOO_SLOW =
  'The body arrives too slowly: over 256 KB, at least 64 KB must come every 5 seconds; send it again, with the same ' +
  'idempotency-key';

function tooLarge(bytesMax: number): HttpProtocolError {
  const limit =
    bytesMax < MEGABYTE ? `${bytesMax / 1024} KB` : `${bytesMax / MEGABYTE} MB; send fewer documents in each request`;
  return new HttpProtocolError(413, 'body_too_large', `The body is over the limit of ${limit}`);
}
const MEGABYTE = 1024 * 1024;

import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { UnavailableError } from './errors.js';

/** A body up to this is always read, whatever else arrives. 100 documents of three lines are some 100 KB. */
export const SMALL_BODY_BYTES_MAX = 256 * 1024;

/** Bytes of larger bodies that one process has in hand, each from before it is read until its answer. */
export const LARGE_BODIES_BYTES_MAX = 32 * 1024 * 1024;

const RETRY_AFTER_SECONDS = 2;

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the room for large bodies that its own has. */
    largeBodyBytes?: number;
  }
}

/**
 * Refuses a large body with a 503 while others fill the room for large ones: parsed, a body takes several times its
 * length, and a rush of them would take all memory. By its declared length, before it is read; without one, as it comes.
 * @param bytesMax a body that declares more is refused by whoever reads it
 */
export function limitLargeBodies(fastify: FastifyInstance, bytesMax: number): void {
  let inHand = 0;
  const grow = (request: FastifyRequest, bytes: number): void => {
    const more = bytes - (request.largeBodyBytes ?? 0);
    if (bytes <= SMALL_BODY_BYTES_MAX || bytes > bytesMax || more <= 0) return;
    if (inHand + more > LARGE_BODIES_BYTES_MAX)
      throw new UnavailableError('too_many_large_bodies', OVERLOADED, RETRY_AFTER_SECONDS);
    inHand += more;
    request.largeBodyBytes = bytes;
  };
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    // Answered, or its client hung up.
    reply.raw.once('close', () => {
      inHand -= request.largeBodyBytes ?? 0;
    });
    const declared = request.headers['content-length'];
    try {
      if (declared !== undefined) grow(request, Number(declared));
      done(null, declared === undefined ? metered(payload, (bytes) => grow(request, bytes)) : payload);
    } catch (error) {
      done(error as Error);
    }
  });
}

const OVERLOADED =
  'Too many large bodies arrive at this moment, and this one was not read; retry with the same idempotency-key and body';

/** The stream, which ends in the error that `tell` throws at the number of bytes that have come. */
function metered(stream: RequestPayload, tell: (bytes: number) => void): RequestPayload {
  let bytes = 0;
  const meter = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      try {
        tell(bytes);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  stream.once('error', (error) => meter.destroy(error));
  return stream.pipe(meter);
}

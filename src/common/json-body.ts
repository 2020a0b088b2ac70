import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProtocolError } from './errors.js';
import { brokenLimitOf } from './json-limits.js';
import { BodyShare, LargeBodies } from './large-bodies.js';

/** D4: a body is at most 10 MB. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body holds of the memory for large ones, until it is answered. */
    bodyShare?: BodyShare;
  }
}

/**
 * Makes `application/json` the only body that is read; every other media type is a 415 (D14). Large bodies are read as
 * long as there is room for them, else refused with a 503 before they are read.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  const largeBodies = new LargeBodies();
  fastify.removeAllContentTypeParsers();
  // In a hook and not in the parser, after whose refusals Fastify hangs up: a client that is still sending would lose
  // the connection, and see no 503. Here Node answers, and throws away what still comes.
  fastify.addHook('preParsing', async (request, _reply, payload) => {
    if (!mayHaveBody(request)) return payload;
    const share = new BodyShare(largeBodies);
    request.bodyShare = share;
    const bytes = declaredBytesOf(request) ?? 0;
    // A body over the limit is not read, and refused by the parser.
    if (bytes <= BODY_BYTES_MAX) share.growTo(bytes);
    return payload;
  });
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    // Whoever asks for an unknown address was not asked for a key.
    const share = request.bodyShare;
    if (share === undefined) return undefined;
    try {
      const bytes = await receive(payload, declaredBytesOf(request), share);
      if (share.isLarge) return await readLarge(bytes, payload, share);
      return parse(textOf(bytes));
    } catch (error) {
      // An aborted upload has no answer that would do it.
      share.release();
      throw error;
    }
  });
  fastify.addHook('preValidation', refuseMissingBody);
  fastify.addHook('onSend', (request, _reply, answer, done) => {
    request.bodyShare?.release();
    done(null, answer);
  });
}

function mayHaveBody(request: FastifyRequest): boolean {
  return request.method === 'POST' && !request.is404;
}

/** null: it comes in chunks. */
function declaredBytesOf({ headers }: FastifyRequest): number | null {
  const declared = headers['content-length'];
  return declared === undefined ? null : Number(declared);
}

/**
 * All bytes of a body, with its share grown before what it is for is kept.
 * @throws HttpProtocolError 413 over BODY_BYTES_MAX, 400 when it is cut off; UnavailableError 503
 */
function receive(payload: IncomingMessage, declaredBytes: number | null, share: BodyShare): Promise<Buffer> {
  if (declaredBytes !== null && declaredBytes > BODY_BYTES_MAX) return Promise.reject(TOO_LARGE);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: () => void): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      outcome();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      try {
        if (bytes > BODY_BYTES_MAX) throw TOO_LARGE;
        share.growTo(bytes);
        chunks.push(chunk);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, bytes)));
    const onCut = (): void => settle(() => reject(CUT_OFF));
    payload.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

const TOO_LARGE = new HttpProtocolError(
  413,
  'body_too_large',
  'The body is over the limit of 10 MB; send fewer documents in each request',
);
const CUT_OFF = new HttpProtocolError(400, 'malformed_request', 'The body ended before it was complete');

/** As for a small body, but one large body at a time, and in steps between which others are served. */
async function readLarge(bytes: Buffer, payload: IncomingMessage, share: BodyShare): Promise<unknown> {
  await share.turn();
  // Whoever hung up meanwhile has no use for an answer.
  if (payload.socket.destroyed) throw CUT_OFF;
  const text = textOf(bytes);
  await nextTurn();
  const value = parse(text);
  await nextTurn();
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws HttpProtocolError 400 for what is not text, or would keep the parser busy */
function textOf(bytes: Buffer): string {
  const brokenLimit = brokenLimitOf(bytes);
  if (brokenLimit !== null) throw malformed(brokenLimit);
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8 text');
  }
}

/** @throws HttpProtocolError 400 saying where the text is not JSON */
function parse(text: string): unknown {
  if (text.trim() === '') throw malformed('The body is empty; it must be a JSON object');
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own words may quote the body, which is not for logs; the position is enough to find the place.
    const [position] = /position \d+(?: \(line \d+ column \d+\))?/.exec(String(error)) ?? [];
    throw malformed(`The body is not valid JSON${position === undefined ? '' : ` at ${position}`}`);
  }
}

function malformed(message: string): HttpProtocolError {
  return new HttpProtocolError(400, 'malformed_json', message);
}

// Without a Content-Type and without a body Fastify reads nothing and finds no fault.
function refuseMissingBody(request: FastifyRequest): Promise<void> {
  if (!mayHaveBody(request) || request.body !== undefined) return Promise.resolve();
  const message = 'The body must be sent with Content-Type: application/json';
  return Promise.reject(new HttpProtocolError(415, 'unsupported_media_type', message));
}

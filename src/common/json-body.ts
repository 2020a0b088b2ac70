import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProtocolError } from './errors.js';
import { brokenLimitOf } from './json-limits.js';
import { limitLargeBodies } from './large-bodies.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A POST that says all by its address. */
    mayLackBody?: boolean;
  }
}

/** D4: a body is at most 10 MB. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** Makes `application/json` the only body that is read; every other media type is a 415 (D14). */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  limitLargeBodies(fastify, BODY_BYTES_MAX);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, parseBody);
  fastify.addHook('preValidation', refuseMissingBody);
}

/** @throws HttpProtocolError 400 saying what is wrong with the text */
function parseBody(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  // Whoever asks for an unknown address was not asked for a key.
  if (request.is404) return Promise.resolve(undefined);
  const brokenLimit = brokenLimitOf(bytes);
  if (brokenLimit !== null) throw malformed(brokenLimit);
  return Promise.resolve(parseJson(decodeUtf8(bytes)));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8 text');
  }
}

function parseJson(text: string): unknown {
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
  if (request.method !== 'POST' || request.is404 || request.body !== undefined) return Promise.resolve();
  if (request.routeOptions.config.mayLackBody === true) return Promise.resolve();
  const message = 'The body must be sent with Content-Type: application/json';
  return Promise.reject(new HttpProtocolError(415, 'unsupported_media_type', message));
}

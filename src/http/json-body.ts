import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProtocolError } from '../errors/api-error.js';
import { measureJson } from './json-limits.js';
import { limitLargeBodies } from './large-bodies.js';
import { createBodyReceiver } from './receive-body.js';
import { countMembers, findRepeatedMembers } from './repeated-members.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A POST that says all by its address. */
    mayLackBody?: boolean;
  }
  interface FastifyRequest {
    /** JSON Pointers to the members that an object of its body holds more than once; undefined for none. */
    repeatedMembers?: readonly string[];
  }
}

/** A body is at most 10 MB (docs/rules.md#body-limits). */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** Of a request that acts for no organisation, such as a sign-in: anybody can send one. */
export const PUBLIC_BODY_BYTES_MAX = 16 * 1024;

/**
 * Makes `application/json` the only body that is read; every other media type is a 415 (docs/rules.md#order-of-checks).
 * @param tenantIdOf the organisation that a request was found to act for, under whose share a large body counts
 */
export function acceptJsonOnly(fastify: FastifyInstance, tenantIdOf: (request: FastifyRequest) => string | null): void {
  const reserve = limitLargeBodies(fastify);
  const receive = createBodyReceiver(fastify.server);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const tenantId = tenantIdOf(request);
    const limits =
      tenantId === null
        ? { bytesMax: PUBLIC_BODY_BYTES_MAX, grow: () => {} }
        : { bytesMax: BODY_BYTES_MAX, grow: (length: number) => reserve(request, tenantId, length) };
    try {
      return parseBody(request, await receive(request.raw, limits));
    } catch (error) {
      if (error !== request.bodyRefusal) throw error;
      return undefined;
    }
  });
  fastify.addHook('preValidation', refuseBody);
}

/** @throws HttpProtocolError 400 saying what is wrong with the text */
function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const { brokenLimit, memberCount } = measureJson(bytes);
  if (brokenLimit !== null) throw malformed(brokenLimit);
  const text = decodeUtf8(bytes);
  const body = parseJson(text);
  // Which they are is looked for only when some got lost: that costs as much as parsing.
  if (countMembers(body) < memberCount) request.repeatedMembers = findRepeatedMembers(text);
  return body;
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

function refuseBody(request: FastifyRequest): Promise<void> {
  // Not thrown while the body was read: Fastify would close the connection, and a client that is still sending would
  // see that instead of the response. So Node reads the rest.
  if (request.bodyRefusal !== undefined) return Promise.reject(request.bodyRefusal);
  // Without a Content-Type and without a body Fastify reads nothing and finds no fault.
  if (request.method !== 'POST' || request.body !== undefined) return Promise.resolve();
  if (request.routeOptions.config.mayLackBody === true) return Promise.resolve();
  const message = 'The body must be sent with Content-Type: application/json';
  return Promise.reject(new HttpProtocolError(415, 'unsupported_media_type', message));
}

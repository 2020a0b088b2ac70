import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProtocolError, ValidationError } from '../errors/api-error.js';
import { limitLargeBodies, SMALL_BODY_BYTES_MAX } from './large-bodies.js';
import { parseJson } from './parse-json.js';
import { type RepeatedMember, buildRepeatedProblem } from './repeated-members.js';
import { createBodyReceiver } from './receive-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A POST that says all by its address. */
    mayLackBody?: boolean;
    /** Its body stays the bytes that were sent, which may be many: its reader decides in which thread. */
    keepsBytes?: boolean;
    /** Its reader names the members that are sent more than once, with everything else that is wrong. */
    namesRepeatedMembers?: boolean;
  }
  interface FastifyRequest {
    /** The members that an object of its body holds more than once; undefined for none. */
    repeatedMembers?: readonly RepeatedMember[] | undefined;
    /** The database's clock when the key or session of the request was checked. */
    receivedAt?: Date;
  }
}

/** A body of documents is at most 10 MB, any other at most SMALL_BODY_BYTES_MAX (docs/rules.md#body-limits). */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** The most of a Content-Encoding that a message repeats. */
const ENCODING_CHARACTERS_MAX = 40;

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
    const keepsBytes = request.routeOptions.config.keepsBytes === true;
    const limits = {
      bytesMax: tenantId === null ? PUBLIC_BODY_BYTES_MAX : keepsBytes ? BODY_BYTES_MAX : SMALL_BODY_BYTES_MAX,
      grow: (length: number) => tenantId !== null && reserve(request, tenantId, length),
      keepOpen: (refusal: HttpProtocolError) => {
        request.bodyRefusal = refusal;
      },
    };
    try {
      const bytes = await receive(request.raw, limits);
      refuseEncoding(request.headers['content-encoding']);
      return keepsBytes ? bytes : parseBody(request, bytes);
    } catch (error) {
      if (error !== request.bodyRefusal) throw error;
      return undefined;
    }
  });
  fastify.addHook('preValidation', refuseBody);
}

/** @throws HttpProtocolError (415) for a compressed body */
function refuseEncoding(encoding = ''): void {
  if (/^[\s,]*(?:identity[\s,]*)*$/i.test(encoding)) return;
  const message =
    `The body is sent with Content-Encoding: ${encoding.slice(0, ENCODING_CHARACTERS_MAX)}, which this service does not ` +
    'decode; send it uncompressed, without Content-Encoding';
  throw new HttpProtocolError(415, 'unsupported_media_type', message);
}

/**
 * @throws HttpProtocolError 400 saying what is wrong with the text
 * @throws ValidationError (400) if a member is sent more than once with different values, of which the last would win
 */
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

function refuseBody(request: FastifyRequest): Promise<void> {
  // Not thrown while the body was read: Fastify would close the connection, and a client that is still sending would
  // see that instead of the response. So Node reads the rest.
  if (request.bodyRefusal !== undefined) return Promise.reject(request.bodyRefusal);
  // Without a Content-Type and without a body Fastify reads nothing and finds no fault.
  if (request.method !== 'POST' || request.body !== undefined) return Promise.resolve();
  if (request.routeOptions.config.mayLackBody === true) return Promise.resolve();
  const message = 'The body must be sent uncompressed with Content-Type: application/json, without Content-Encoding';
  return Promise.reject(new HttpProtocolError(415, 'unsupported_media_type', message));
}

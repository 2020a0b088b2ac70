import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ApiError, HttpProtocolError, ValidationError } from '../errors/api-error.js';
import { limitLargeBodies, SMALL_BODY_BYTES_MAX } from './large-bodies.js';
import { parseJson } from './parse-json.js';
import { type RepeatedMember, buildRepeatedProblem } from './repeated-members.js';
import { createBodyReceiver } from './receive-body.js';

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
 * Accepts only `application/json` bodies. `tenantIdOf` returns the organisation whose share of memory a large body
 * uses.
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
  // After a parser error, Fastify closes the connection. A client that is still sending its body would then miss the
  // response.
  if (request.bodyError !== undefined) return Promise.reject(request.bodyError);
  // Fastify runs no parser for a request without a Content-Type and a body.
  if (request.method !== 'POST' || request.body !== undefined) return Promise.resolve();
  if (request.routeOptions.config.mayLackBody === true) return Promise.resolve();
  const message = 'The body must be sent uncompressed with Content-Type: application/json, without Content-Encoding';
  return Promise.reject(new HttpProtocolError(415, 'unsupported_media_type', message));
}

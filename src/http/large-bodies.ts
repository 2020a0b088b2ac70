import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ApiError, HttpProtocolError, UnavailableError } from '../errors/api-error.js';

/** Bodies up to this size are always accepted. 100 documents with three lines each take about 100 KB. */
export const SMALL_BODY_BYTES_MAX = 256 * 1024;

/** Maximum total size of larger bodies in one process, counted from their arrival to their response. */
export const LARGE_BODIES_BYTES_MAX = 32 * 1024 * 1024;

/** Share of one organisation, and of all dashboard sessions together because anyone can sign up. */
const SHARE_BYTES_MAX = LARGE_BODIES_BYTES_MAX / 2;

const RETRY_AFTER_SECONDS = 2;

interface Reservation {
  readonly tenantId: string;
  readonly isFromSession: boolean;
  readonly bytes: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Memory reserved for a large body. */
    reservation?: Reservation | undefined;
  }
}

/**
 * Reserves memory for a body that has grown to `bytes`.
 * @throws ApiError (429, 503) if a limit is exceeded
 */
export type Reserve = (request: FastifyRequest, tenantId: string, bytes: number) => void;

/** Limits the memory that large bodies use until their response. A parsed body takes several times its length. */
export function limitLargeBodies(fastify: FastifyInstance): Reserve {
  const held = { total: 0, bySessions: 0, byTenant: new Map<string, number>() };
  const add = ({ tenantId, isFromSession }: Reservation, bytes: number): void => {
    const byTenant = (held.byTenant.get(tenantId) ?? 0) + bytes;
    if (byTenant === 0) held.byTenant.delete(tenantId);
    else held.byTenant.set(tenantId, byTenant);
    held.total += bytes;
    if (isFromSession) held.bySessions += bytes;
  };
  const findError = ({ tenantId, isFromSession }: Reservation): ApiError | null => {
    if ((held.byTenant.get(tenantId) ?? 0) > SHARE_BYTES_MAX) {
      const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
      return new HttpProtocolError(429, 'large_body_share_exceeded', SHARE_EXCEEDED, headers);
    }
    const isFull = held.total > LARGE_BODIES_BYTES_MAX || (isFromSession && held.bySessions > SHARE_BYTES_MAX);
    return isFull ? new UnavailableError('too_many_large_bodies', OVERLOADED, RETRY_AFTER_SECONDS) : null;
  };
  const release = (request: FastifyRequest): void => {
    if (request.reservation === undefined) return;
    add(request.reservation, -request.reservation.bytes);
    request.reservation = undefined;
  };
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    // Frees the body, because the response may wait for earlier responses on its connection.
    if (request.reservation !== undefined) request.body = undefined;
    release(request);
    done(null, payload);
  });
  return (request, tenantId, bytes) => {
    if (bytes <= SMALL_BODY_BYTES_MAX) return;
    const isFromSession = request.caller === undefined;
    const earlier = request.reservation?.bytes ?? 0;
    request.reservation = { tenantId, isFromSession, bytes };
    add(request.reservation, bytes - earlier);
    const error = findError(request.reservation);
    if (error === null) return;
    // The rest of the body is discarded before the response is sent.
    release(request);
    throw error;
  };
}

const SHARE_EXCEEDED =
  "Your organisation's share of 16 MB for bodies over 256 KB is in use; wait for the responses to them, then retry " +
  'with the same idempotency-key and body';
const OVERLOADED = 'The service is receiving too many large bodies; retry with the same idempotency-key and body';

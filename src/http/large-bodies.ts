import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ApiError, HttpProtocolError, UnavailableError } from '../errors/api-error.js';

/** A body up to this is always read, whatever else arrives. 100 documents of three lines are some 100 KB. */
export const SMALL_BODY_BYTES_MAX = 256 * 1024;

/** Bytes of larger bodies that one process has in hand, each counted as it arrives and until its response. */
export const LARGE_BODIES_BYTES_MAX = 32 * 1024 * 1024;

/** What one organisation may have of them: what it leaves unfinished shuts out no other. */
export const TENANT_LARGE_BODIES_BYTES_MAX = LARGE_BODIES_BYTES_MAX / 2;

/**
 * What all sessions of the dashboard may have of them together: anybody may sign up, and only a key costs something.
 */
const SESSIONS_LARGE_BODIES_BYTES_MAX = LARGE_BODIES_BYTES_MAX / 2;

const RETRY_AFTER_SECONDS = 2;

interface Reservation {
  readonly tenantId: string;
  readonly isFromSession: boolean;
  bytes: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body has of the room for large ones. */
    reservation?: Reservation;
    /** Why its body was refused while the client was sending it. */
    bodyRefusal?: ApiError;
  }
}

/** Reserves what a body has grown to. @throws ApiError when it must not grow so far now */
export type Reserve = (request: FastifyRequest, tenantId: string, bytes: number) => void;

/**
 * The room for large bodies: parsed, a body takes several times its length, and a rush of them would take all memory.
 * What a request has reserved is freed when its response is sent, also to a client that has hung up.
 */
export function limitLargeBodies(fastify: FastifyInstance): Reserve {
  const room = { inHand: 0, ofSessions: 0, byTenant: new Map<string, number>() };
  const change = ({ tenantId, isFromSession }: Reservation, bytes: number): void => {
    const ofTenant = (room.byTenant.get(tenantId) ?? 0) + bytes;
    if (ofTenant === 0) room.byTenant.delete(tenantId);
    else room.byTenant.set(tenantId, ofTenant);
    room.inHand += bytes;
    if (isFromSession) room.ofSessions += bytes;
  };
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.reservation !== undefined) {
      change(request.reservation, -request.reservation.bytes);
      request.reservation = undefined;
      // A response may wait behind others of its connection; what is not counted any more must not be kept either.
      request.body = undefined;
    }
    done(null, payload);
  });
  return (request, tenantId, bytes) => {
    if (bytes <= SMALL_BODY_BYTES_MAX) return;
    const more = bytes - (request.reservation?.bytes ?? 0);
    const isFromSession = request.caller === undefined;
    const inHand =
      isFromSession && room.ofSessions + more > SESSIONS_LARGE_BODIES_BYTES_MAX ? Infinity : room.inHand + more;
    const refusal = findRefusal((room.byTenant.get(tenantId) ?? 0) + more, inHand);
    if (refusal !== null) {
      request.bodyRefusal = refusal;
      throw refusal;
    }
    const reservation = { tenantId, isFromSession, bytes };
    change(reservation, more);
    request.reservation = reservation;
  };
}

function findRefusal(ofTenant: number, inHand: number): ApiError | null {
  if (ofTenant > TENANT_LARGE_BODIES_BYTES_MAX) {
    return new HttpProtocolError(429, 'large_body_share_exceeded', OVER_SHARE, {
      'Retry-After': String(RETRY_AFTER_SECONDS),
    });
  }
  if (inHand <= LARGE_BODIES_BYTES_MAX) return null;
  return new UnavailableError('too_many_large_bodies', OVERLOADED, RETRY_AFTER_SECONDS);
}

const OVER_SHARE =
  'Your organisation has 16 MB of bodies over 256 KB under way, which is its share; wait for their responses, then ' +
  'retry with the same idempotency-key and body';
const OVERLOADED =
  'Too many large bodies are arriving, and this one was refused; retry with the same idempotency-key and body';

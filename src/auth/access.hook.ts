import type { FastifyInstance } from 'fastify';
import { type Access, runWithAccess } from '../database/access.js';
import { AddRouteConfig } from '../http/route-config.js';

/** What a request was accepted with before its body arrived. */
export interface RequestAccess {
  readonly granted: Access;
  /** Checks it again. @throws ApiError (401, 403, 404) if it is no longer valid */
  readonly confirm: () => Promise<unknown>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the hook that identifies the caller; null if the route is open to everybody. */
    access?: RequestAccess | null;
  }
  interface FastifyContextConfig {
    confirmsAccess?: boolean;
  }
}

/**
 * Marks a handler of GET requests that take long, such as a call to the authority or a file: its database transactions
 * confirm the access like those of a state-changing request.
 */
export const ConfirmsAccess = (): MethodDecorator => AddRouteConfig({ confirmsAccess: true });

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks the access of each state-changing request again when its body has arrived, which can take half a minute, and
 * runs its handler so that every database transaction confirms the access before its commit. A Fastify hook, because a
 * Nest interceptor would run each handler through an Observable.
 */
export function confirmAccessOfRequests(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', ({ method, access, routeOptions }, _reply, done) => {
    const isRead = SAFE_METHODS.has(method);
    if (access === null || (isRead && routeOptions.config.confirmsAccess !== true)) {
      done();
      return;
    }
    if (access === undefined) throw new Error('No hook identified the caller of this request');
    const { granted, confirm } = access;
    const handle = (): void => runWithAccess(granted, done);
    if (isRead) handle();
    else confirm().then(handle, done);
  });
}

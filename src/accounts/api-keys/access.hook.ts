import type { FastifyInstance } from 'fastify';
import { type Access, runWithAccess } from '../../database/access.js';
import { AddRouteConfig } from '../../http/route-config.js';

/** The access with which a request was accepted before its body arrived. */
export interface RequestAccess {
  readonly granted: Access;
  /** Checks the access again. @throws ApiError (401, 403, 404) if it is no longer valid */
  readonly confirm: () => Promise<unknown>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the hook that identifies the caller. Null for a public route. */
    access?: RequestAccess | null;
  }
  interface FastifyContextConfig {
    confirmsAccess?: boolean;
  }
}

/**
 * Marks a slow GET handler, such as an authority call or a file download. Its database transactions then confirm the
 * access like those of a state-changing request.
 */
export const ConfirmsAccess = (): MethodDecorator => AddRouteConfig({ confirmsAccess: true });

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks the access of a state-changing request again after its body has arrived, which may take half a minute, and
 * confirms it before the commit of every database transaction. A Fastify hook, because a Nest interceptor would wrap
 * each handler in an Observable.
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

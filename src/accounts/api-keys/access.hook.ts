import type { FastifyInstance } from 'fastify';
import { type Access, runWithAccess } from '../../database/access.js';
import { AddRouteConfig } from '../../http/route-config.js';

export interface RequestAccess {
  readonly granted: Access;
  /** @throws ApiError (401, 403, 404) if the access is no longer valid */
  readonly confirm: () => Promise<unknown>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a public route. */
    access?: RequestAccess | null;
  }
  interface FastifyContextConfig {
    confirmsAccess?: boolean;
  }
}

/** Marks a slow GET handler, whose database transactions then confirm the access like those of other methods. */
export const ConfirmsAccess = (): MethodDecorator => AddRouteConfig({ confirmsAccess: true });

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks the access of a state-changing request again when its body has arrived, and before the commit of every
 * database transaction. A Fastify hook, because a Nest interceptor would wrap each handler in an Observable.
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

import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
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
 * runs its handler so that every database transaction confirms the access before its commit.
 */
@Injectable()
export class AccessInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { method, access, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const isRead = SAFE_METHODS.has(method);
    if (access === null || (isRead && routeOptions.config.confirmsAccess !== true)) return next.handle();
    if (access === undefined) throw new Error('No hook identified the caller of this request');
    if (!isRead) await access.confirm();
    return runWithAccess(access.granted, () => next.handle());
  }
}

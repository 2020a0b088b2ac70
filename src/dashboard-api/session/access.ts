import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AddRouteConfig } from '../../http/route-config.js';

import type { AttemptKind } from '../../accounts/attempts.js';
import type { Role } from '../../accounts/roles.js';
import type { Session } from '../../accounts/sessions.service.js';
import type { UserActor } from '../../accounts/audit.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import type { Environment } from '../../config/environment.js';

/** Callers of a handler: everyone, any signed-in user, members with at least this role, or operators. */
export type AccessLevel = 'everybody' | 'user' | Role | 'operator';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessLevel;
    /** Kind of attempt that each request counts as. */
    countedAs?: AttemptKind;
  }
  interface FastifyRequest {
    session?: Session;
  }
}

/**
 * Opens a handler to sessions. Handlers without this decorator require an API key.
 * @param options `countedAs` limits the requests per user, or per network if no session is required; `keepsBytes`
 *   leaves the body unparsed
 */
export function Access(
  access: AccessLevel,
  { countedAs, keepsBytes = false }: { countedAs?: AttemptKind; keepsBytes?: boolean } = {},
): MethodDecorator {
  return AddRouteConfig({ access, countedAs, keepsBytes, mayLackBody: true });
}

export const CurrentSession = createParamDecorator((_: unknown, context: ExecutionContext): Session =>
  getSession(getRequest(context)),
);

/** Organisation in the path and the signed-in user. */
export interface Member {
  readonly tenantId: string;
  readonly session: Session;
  readonly actor: UserActor;
}

export const CurrentMember = createParamDecorator((_: unknown, context: ExecutionContext): Member => {
  const request = getRequest(context);
  const session = getSession(request);
  return { tenantId: getTenantId(request), session, actor: toActor(request, session) };
});

/** The signed-in user as a caller of the services of the API, in the environment of the path. */
export const MemberAsCaller = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCaller => {
  const request = getRequest(context);
  const { environment } = request.params as { environment?: Environment };
  if (environment === undefined) throw new Error('A handler asked for the environment of an address without one');
  const { userId } = getSession(request);
  return { tenantId: getTenantId(request), environment, actor: { userId } };
});

/** The signed-in user as an audit log actor. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): UserActor => {
  const request = getRequest(context);
  return toActor(request, getSession(request));
});

/** Returns the organisation in the path if the signed-in user is a member, otherwise null. */
export function findMemberTenantId(request: FastifyRequest): string | null {
  return (request.session?.role ?? null) === null ? null : getTenantId(request);
}

function getRequest(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

export function getSession({ session }: FastifyRequest): Session {
  if (session === undefined) throw new Error('A handler asked for the session of a route that is open to everybody');
  return session;
}

function getTenantId(request: FastifyRequest): string {
  const { tenantId } = request.params as { tenantId?: string };
  if (tenantId === undefined) throw new Error('A handler asked for the organisation of an address without one');
  return tenantId.toLowerCase();
}

export function toActor({ ip }: FastifyRequest, { userId, email }: Session): UserActor {
  return { userId, email, ip };
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { AddRouteConfig } from '../../http/route-config.js';
import type { FastifyRequest } from 'fastify';

import type { AttemptKind } from '../../accounts/attempts.js';
import type { Role } from '../../accounts/roles.js';
import type { Session } from '../../accounts/sessions.service.js';
import type { UserActor } from '../../accounts/audit.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import type { Environment } from '../../config/environment.js';

/**
 * Who may call a handler of the dashboard: everybody, who is signed in, who has at least this role in the organisation
 * of the address, or an operator of the service.
 */
export type AccessLevel = 'everybody' | 'user' | Role | 'operator';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessLevel;
    /** What each request counts as. */
    countedAs?: AttemptKind;
  }
  interface FastifyRequest {
    session?: Session;
  }
}

/**
 * Opens a handler of the dashboard's API to those who may call it; without this, it asks for an API key.
 * @param options `countedAs` limits how often a user, or for everybody a network, calls it; `keepsBytes` leaves the body
 *   unparsed
 */
export function Access(
  access: AccessLevel,
  { countedAs, keepsBytes = false }: { countedAs?: AttemptKind; keepsBytes?: boolean } = {},
): MethodDecorator {
  return AddRouteConfig({ access, countedAs, keepsBytes, mayLackBody: true });
}

/** The session of the request. */
export const CurrentSession = createParamDecorator((_: unknown, context: ExecutionContext): Session =>
  getSession(getRequest(context)),
);

/** An organisation, and in it the user of the session as the audit log names them. */
export interface Member {
  readonly tenantId: string;
  readonly session: Session;
  readonly actor: UserActor;
}

/** The organisation of the address, in which the session's role was found to suffice. */
export const CurrentMember = createParamDecorator((_: unknown, context: ExecutionContext): Member => {
  const request = getRequest(context);
  const session = getSession(request);
  return { tenantId: getTenantId(request), session, actor: toActor(request, session) };
});

/** The same as the caller of the features' services, in the environment of the address. */
export const MemberAsCaller = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCaller => {
  const request = getRequest(context);
  const { environment } = request.params as { environment?: Environment };
  if (environment === undefined) throw new Error('A handler asked for the environment of an address without one');
  const { userId } = getSession(request);
  return { tenantId: getTenantId(request), environment, actor: { userId } };
});

/** Who is signed in, as the audit log names them. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): UserActor => {
  const request = getRequest(context);
  return toActor(request, getSession(request));
});

/** The organisation of the address, when the session's user is a member of it. */
export function findMemberTenantId(request: FastifyRequest): string | null {
  return (request.session?.role ?? null) === null ? null : getTenantId(request);
}

function getRequest(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

/** The session of a request that needs one. */
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

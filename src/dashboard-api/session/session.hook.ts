import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { countAttempt } from '../../accounts/attempts.js';
import { type Role, ROLES, suffices } from '../../accounts/roles.js';
import { areEqual } from '../../accounts/secrets.js';
import { type Session, SessionsService } from '../../accounts/sessions.service.js';
import { createStranger } from '../../accounts/audit.js';
import { toNetwork } from '../../common/network.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { RateLimitHook } from '../../rate-limits/rate-limit.hook.js';
import type { Access } from '../../database/access.js';
import { type AccessLevel, toActor } from './access.js';
import { chooseCookieSettings, readSessionSecret } from './cookies.js';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface RouteParams {
  readonly tenantId?: string;
  readonly environment?: string;
}

/**
 * Checks session, CSRF token and role for every handler with `@Access`. Not a Nest guard, because it must run before
 * the body is read. Users who are not members of an organisation receive a 404, as for an unknown id.
 */
@Injectable()
export class SessionHook {
  constructor(
    private readonly sessions: SessionsService,
    private readonly dataSource: DataSource,
    private readonly limits: RateLimitHook,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws DashboardError (401, 403 or 404) */
  async onRequest(request: FastifyRequest, access: AccessLevel): Promise<void> {
    request.access = null;
    if (access === 'everybody') return;
    const params = request.params as RouteParams;
    const session = await this.findSession(request, params);
    if (!SAFE_METHODS.has(request.method)) assertCsrfToken(request, session);
    if (access === 'operator' && !session.isOperator) throw new DashboardError('operators_only');
    if (access !== 'operator' && access !== 'user') this.assertRole(session, access, params);
    request.session = session;
    request.receivedAt = session.now;
    const granted = toGranted(session, access, params);
    request.access = { granted, confirm: () => this.sessions.confirm(granted) };
  }

  /**
   * Counts a request of a handler with `countedAs`. It runs after the rate limits because it writes to the database.
   * @throws DashboardError (429)
   */
  async countAttempt(request: FastifyRequest): Promise<void> {
    const { session, ip, routeOptions } = request;
    const { countedAs: kind } = routeOptions.config;
    if (kind === undefined) return;
    const actor = session === undefined ? createStranger(ip) : toActor(request, session);
    await countAttempt(this.dataSource, [{ kind, subject: session?.email ?? toNetwork(ip) }], actor);
  }

  private async findSession(request: FastifyRequest, { tenantId }: RouteParams): Promise<Session> {
    const secret = readSessionSecret(request, chooseCookieSettings(request, this.configuration));
    if (secret === null) throw new DashboardError('session_required');
    // Pages send this header after the user has been inactive for a while.
    const isUnattended = request.headers['x-unattended'] !== undefined;
    const session = await this.limits.lookUpInTurn(request, () =>
      this.sessions.find(secret, tenantId ?? null, { isUnattended }),
    );
    if (session === null) throw new DashboardError('session_required');
    return session;
  }

  private assertRole({ role }: Session, needed: Role, { environment }: RouteParams): void {
    if (role === null) throw new DashboardError('organisation_not_found');
    if (!suffices(role, needed)) throw new DashboardError('role_too_low', { facts: { role, neededRole: needed } });
    if (environment !== undefined && !this.isServed(environment)) throw new DashboardError('environment_not_served');
  }

  private isServed(environment: string): boolean {
    const known: Environment | undefined = ENVIRONMENTS.find((name) => name === environment);
    return known !== undefined && this.configuration.authorities[known] !== undefined;
  }
}

function toGranted({ userId, sessionId }: Session, access: AccessLevel, { tenantId }: RouteParams): Access {
  if (access === 'operator') return { userId, sessionId, isOperator: true };
  if (access === 'user' || access === 'everybody') return { userId, sessionId };
  return { userId, sessionId, tenantId, roles: ROLES.filter((role) => suffices(role, access)) };
}

// SameSite=Strict only protects against other sites. The token also protects against other hosts of the domain.
function assertCsrfToken(request: FastifyRequest, { csrfToken }: Session): void {
  const given = request.headers['x-csrf-token'];
  if (typeof given !== 'string' || !areEqual(given, csrfToken)) throw new DashboardError('csrf_token_wrong');
}

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountsService } from '../../accounts/accounts.service.js';
import { type Session, SessionsService } from '../../accounts/sessions.service.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { ENVIRONMENTS } from '../../config/environment.js';
import type { SessionDto } from './dto/session.dto.js';
import { setDeviceCookie } from './device-cookie.js';
import { readOrigin } from './origin.js';
import { clearSessionCookie, setSessionCookie } from './session-cookie.js';

/** What a browser is answered about its session. */
@Injectable()
export class SessionResponses {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** Who is signed in, and where they are a member. */
  async describe({ userId, email, name, isOperator, csrfToken }: Session): Promise<SessionDto> {
    return {
      user: { userId, email, name, isOperator },
      csrfToken,
      organisations: await this.accounts.listOrganisations(userId),
      environments: ENVIRONMENTS.filter((environment) => this.configuration.authorities[environment] !== undefined),
    };
  }

  /** Hands the browser the secret of a session that was just opened. */
  async signIn(secret: string, reply: FastifyReply): Promise<SessionDto> {
    const session = await this.sessions.find(secret, null);
    if (session === null) throw new DashboardError('session_required');
    const settings = this.cookieSettings(reply);
    setSessionCookie(reply, secret, settings);
    setDeviceCookie(reply, this.sessions.renewDeviceTokens(session.email, readOrigin(reply.request)), settings);
    return this.describe(session);
  }

  /** Has the browser forget its session. */
  signOut(reply: FastifyReply): void {
    clearSessionCookie(reply, this.cookieSettings(reply));
  }

  // Production runs behind TLS, also where no proxy is trusted to say so; on a developer's machine a Secure cookie
  // would never come back.
  private cookieSettings({ request }: FastifyReply): { isSecure: boolean } {
    return { isSecure: this.configuration.isProduction || request.protocol === 'https' };
  }
}

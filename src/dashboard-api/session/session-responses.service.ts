import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AccountsService, normaliseEmail } from '../../accounts/accounts.service.js';
import type { Organisation } from '../../accounts/organisations.js';
import { createSecret, deriveCsrfToken } from '../../accounts/secrets.js';
import { type Session, SessionsService } from '../../accounts/sessions.service.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import type { SessionDto } from './dto/session.dto.js';
import { chooseCookieSettings, clearSessionCookie, readOrigin, setDeviceCookie, setSessionCookie } from './cookies.js';

/** Builds session responses and sets their cookies. */
@Injectable()
export class SessionResponsesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async describe({ userId, email, name, isOperator, csrfToken }: Session): Promise<SessionDto> {
    return {
      user: { userId, email, name, isOperator },
      csrfToken,
      organisations: await this.accounts.listOrganisations(userId),
      environments: this.listEnvironments(),
      supportUrl: this.configuration.supportUrl,
    };
  }

  /** Sets the cookies of a new session and describes it. */
  async startSession(secret: string, reply: FastifyReply): Promise<SessionDto> {
    const session = await this.sessions.find(secret, null);
    if (session === null) throw new DashboardError('session_required');
    this.setCookies(secret, session.email, reply);
    return this.describe(session);
  }

  /**
   * Builds the same response for a sign-up if the e-mail address already has an account. Its session grants no access.
   * An error would reveal which addresses have accounts (docs/decisions/0081-nobody-locks-another-out.md).
   */
  async respondToTakenAddress(
    { email, name }: { email: string; name: string },
    organisation: Organisation,
    reply: FastifyReply,
  ): Promise<SessionDto> {
    const [secret, userId] = [createSecret(), uuidv7()];
    await this.sessions.find(secret, null);
    await this.accounts.listOrganisations(userId);
    this.setCookies(secret, null, reply);
    return {
      user: { userId, email: normaliseEmail(email), name, isOperator: false },
      csrfToken: deriveCsrfToken(this.configuration.secretsKey, secret),
      organisations: [organisation],
      environments: this.listEnvironments(),
      supportUrl: this.configuration.supportUrl,
    };
  }

  // Without access, the device token belongs to no account.
  private setCookies(secret: string, email: string | null, reply: FastifyReply): void {
    const settings = chooseCookieSettings(reply.request, this.configuration);
    setSessionCookie(reply, secret, settings);
    const tokens = this.sessions.renewDeviceTokens(email ?? createSecret(), readOrigin(reply.request));
    setDeviceCookie(reply, tokens, settings);
  }

  private listEnvironments(): Environment[] {
    return ENVIRONMENTS.filter((environment) => this.configuration.authorities[environment] !== undefined);
  }

  endSession(reply: FastifyReply): void {
    clearSessionCookie(reply, chooseCookieSettings(reply.request, this.configuration));
  }
}

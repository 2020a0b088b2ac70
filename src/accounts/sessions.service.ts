import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Not, Repository } from 'typeorm';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { appendAudit, enterNoOrganisation, NO_ORGANISATION, type UserActor } from './audit.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { type Access, confirmAccess, confirmWith } from '../database/access.js';
import { DASHBOARD_DATA_SOURCE } from '../database/database.module.js';
import { isAfterNow, SERVICE_NOW, serviceNowPlus } from '../database/clock.js';
import { UserSession } from '../entities/user-session.entity.js';
import type { Role } from './roles.js';
import { findDevice, renewDeviceTokens } from './devices.js';
import { createSecret, deriveCsrfToken, digestSecret } from './secrets.js';

/**
 * Sessions end after a week or twelve idle hours. Those of operators reach all organisations, so their
 * limits are shorter.
 */
export const SESSION_SECONDS = 7 * 24 * 3_600;
const IDLE_SECONDS = 12 * 3_600;
const OPERATOR_SECONDS = 12 * 3_600;
const OPERATOR_IDLE_SECONDS = 1_800;

// Limits writes because a page sends several concurrent requests.
const SEEN_INTERVAL_MS = 60_000;
const USER_AGENT_CHARACTERS_MAX = 300;

export interface Session {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly isOperator: boolean;
  /** Null without an organisation in the request, or for a non-member. */
  readonly role: Role | null;
  readonly csrfToken: string;
  readonly expiresAt: Date;
  readonly now: Date;
}

export interface Origin {
  readonly ip: string;
  readonly userAgent: string;
  readonly deviceTokens: readonly string[];
}

export interface SessionListing {
  readonly sessionId: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
}

interface FoundSession {
  session_id: string;
  user_id: string;
  email: string;
  name: string;
  is_operator: boolean;
  role: Role | null;
  last_seen_at: Date;
  expires_at: Date;
  now: Date;
}

const FIND_SESSION = /* sql */ `
  SELECT session_id, user_id, email, name, is_operator, role, last_seen_at, expires_at, now
    FROM find_session($1, $2, ${IDLE_SECONDS}, ${OPERATOR_IDLE_SECONDS}, ${OPERATOR_SECONDS})`;

/** Stores sessions in the database, so that ending one takes effect in all processes. */
@Injectable()
export class SessionsService {
  constructor(
    @InjectRepository(UserSession, DASHBOARD_DATA_SOURCE) private readonly sessions: Repository<UserSession>,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Finds a valid session with the user's role in an organisation.
   * @param isUnattended whether the page sent the request automatically, which does not extend the session
   */
  async find(secret: string, tenantId: string | null, { isUnattended = false } = {}): Promise<Session | null> {
    const organisation = tenantId !== null && isUuid(tenantId) ? tenantId : null;
    const parameters = [digestSecret(secret), organisation];
    const [found] = await this.sessions.query<FoundSession[]>(FIND_SESSION, parameters);
    if (found === undefined) return null;
    const isSeen = found.now.getTime() - found.last_seen_at.getTime() <= SEEN_INTERVAL_MS;
    if (!isSeen && !isUnattended) await this.sessions.query('SELECT touch_session($1)', [found.session_id]);
    return {
      sessionId: found.session_id,
      userId: found.user_id,
      email: found.email,
      name: found.name,
      isOperator: found.is_operator,
      role: found.role,
      csrfToken: deriveCsrfToken(this.configuration.secretsKey, secret),
      expiresAt: found.expires_at,
      now: found.now,
    };
  }

  /** @throws DashboardError (401, 403, 404) if the access is no longer valid */
  confirm(access: Access): Promise<void> {
    return confirmWith(this.sessions, access);
  }

  /** Opens a session and deletes the user's expired ones. @returns the secret for the cookie, which is not stored */
  async open(tx: EntityManager, userId: string, { ip, userAgent }: Origin): Promise<string> {
    const secret = createSecret();
    const sessions = tx.withRepository(this.sessions);
    await sessions.delete({ userId, expiresAt: Not(isAfterNow()) });
    await sessions.insert({
      id: uuidv7(),
      userId,
      digest: digestSecret(secret),
      ip,
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS_MAX),
      createdAt: SERVICE_NOW,
      lastSeenAt: SERVICE_NOW,
      expiresAt: serviceNowPlus(SESSION_SECONDS),
    });
    return secret;
  }

  async list({ userId, isOperator }: Pick<Session, 'userId' | 'isOperator'>): Promise<SessionListing[]> {
    const open = {
      userId,
      expiresAt: isAfterNow(),
      createdAt: isAfterNow({ secondsAgo: isOperator ? OPERATOR_SECONDS : SESSION_SECONDS }),
      lastSeenAt: isAfterNow({ secondsAgo: isOperator ? OPERATOR_IDLE_SECONDS : IDLE_SECONDS }),
    };
    const sessions = await this.sessions.find({ where: open, order: { id: 'DESC' } });
    return sessions.map(({ id, ip, userAgent, createdAt, lastSeenAt }) => {
      return { sessionId: id, ip, userAgent, createdAt, lastSeenAt };
    });
  }

  findDevice(email: string, { deviceTokens }: Origin): string | null {
    return findDevice(this.configuration.secretsKey, email, deviceTokens);
  }

  renewDeviceTokens(email: string, { deviceTokens }: Origin): string[] {
    return renewDeviceTokens(this.configuration.secretsKey, email, deviceTokens);
  }

  /** Ends one session. @returns whether it existed */
  end(actor: UserActor, sessionId: string, action: 'user.signed_out' | 'user.session_ended'): Promise<boolean> {
    const { userId, email } = actor;
    return this.sessions.manager.transaction(async (tx) => {
      await confirmAccess(tx, { isExclusive: true });
      const ended = await tx.findOneBy(UserSession, { userId, id: sessionId });
      const { affected } = await tx.delete(UserSession, { userId, id: sessionId });
      if (ended === null || affected !== 1) return false;
      await enterNoOrganisation(tx);
      const details = { from: ended.ip, browser: ended.userAgent };
      await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action, subject: email, details });
      return true;
    });
  }

  async endOthers(tx: EntityManager, userId: string, keptSessionId: string): Promise<void> {
    await tx.withRepository(this.sessions).delete({ userId, id: Not(keptSessionId) });
  }

  async endAll(tx: EntityManager, userId: string): Promise<void> {
    await tx.withRepository(this.sessions).delete({ userId });
  }
}

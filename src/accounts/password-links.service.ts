import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { appendAudit, COMMAND_ACTOR, enterNoOrganisation, NO_ORGANISATION } from '../audit/audit.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import { hashPassword } from './password.js';
import { createSecret, digestOf } from './secrets.js';
import { type Origin, SessionsService } from './sessions.service.js';

const VALID_SECONDS = 3 * 24 * 3_600;

/** A link that was just made, with its secret, which is kept nowhere. */
export interface MadePasswordLink {
  readonly secret: string;
  readonly expiresAt: Date;
}

export interface FoundPasswordLink {
  readonly userId: string;
  readonly email: string;
}

// A user has at most one: the link that was made last is the one that is valid.
const MAKE = /* sql */ `
  INSERT INTO password_link (user_id, digest, created_at, expires_at)
  SELECT id, $2, service_now(), service_now() + make_interval(secs => $3) FROM user_account WHERE email = $1
  ON CONFLICT (user_id) DO UPDATE
     SET digest = excluded.digest, created_at = excluded.created_at, expires_at = excluded.expires_at
  RETURNING expires_at AS "expiresAt"`;

const FIND = /* sql */ `
  SELECT u.id AS "userId", u.email FROM password_link l JOIN user_account u ON u.id = l.user_id
   WHERE l.digest = $1 AND l.expires_at > service_now() AND u.disabled_at IS NULL`;

const SET_PASSWORD = /* sql */ `
  UPDATE user_account SET password_hash = $2 WHERE id = $1 AND disabled_at IS NULL RETURNING id`;

// Of two uses at the same moment the second waits for the user's row, and then deletes nothing.
const USE_UP = /* sql */ `
  DELETE FROM password_link WHERE user_id = $1 AND digest = $2 AND expires_at > service_now() RETURNING user_id`;

/**
 * Links with which a user sets a password. An operator makes one for an address that no mail has proven, and hands it over
 * to the person whom they know. It is valid once, for three days, and until the user signs in or the password changes.
 */
@Injectable()
export class PasswordLinksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
  ) {}

  /** Makes the link of a user who is there; an earlier one ends. For the operator's commands. */
  async make(email: string): Promise<MadePasswordLink> {
    const secret = createSecret();
    return this.dataSource.transaction(async (tx) => {
      const [{ expiresAt }] = await tx.query<{ expiresAt: Date }[]>(MAKE, [email, digestOf(secret), VALID_SECONDS]);
      const change = { tenantId: NO_ORGANISATION, action: 'user.link_created', subject: email, details: { expiresAt } };
      await appendAudit(tx, COMMAND_ACTOR, change);
      return { secret, expiresAt };
    });
  }

  /** Whose password a link sets. @throws DashboardError (404) when it is used, ended, expired or unknown, without telling which */
  async lookUp(secret: string): Promise<FoundPasswordLink> {
    const [found] = await this.dataSource.query<(FoundPasswordLink | undefined)[]>(FIND, [digestOf(secret)]);
    if (found === undefined) throw new DashboardError('password_link_not_found');
    return found;
  }

  /**
   * Sets the password, ends the user's sessions and signs them in.
   * @returns the session's secret
   * @throws DashboardError (404) when the link is not valid
   */
  async use(secret: string, password: string, origin: Origin): Promise<string> {
    const { userId, email } = await this.lookUp(secret);
    const passwordHash = await hashPassword(password);
    return this.dataSource.transaction(async (tx) => {
      const [changed] = await tx.query<[unknown[], number]>(SET_PASSWORD, [userId, passwordHash]);
      const [used] = await tx.query<[unknown[], number]>(USE_UP, [userId, digestOf(secret)]);
      if (changed.length === 0 || used.length === 0) throw new DashboardError('password_link_not_found');
      await this.sessions.endAll(tx, userId);
      await enterNoOrganisation(tx);
      const actor = { userId, email, ip: origin.ip };
      await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action: 'user.link_used', subject: email });
      return this.sessions.open(tx, userId, origin);
    });
  }
}

/** Ends the link of a user, if there is one. The caller's transaction has locked the user's row, as each use does first. */
export async function endPasswordLink(tx: EntityManager, userId: string): Promise<void> {
  await tx.query('DELETE FROM password_link WHERE user_id = $1', [userId]);
}

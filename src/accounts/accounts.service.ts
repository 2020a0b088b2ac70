import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { confirmAccess } from '../database/access.js';
import { DASHBOARD_DATA_SOURCE } from '../database/database.module.js';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  appendAudit,
  COMMAND_ACTOR,
  createStranger,
  enterNoOrganisation,
  NO_ORGANISATION,
  type UserActor,
  type Change,
} from '../audit/audit.js';
import { toNetwork } from '../common/network.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import { SERVICE_NOW } from '../database/clock.js';
import { insertIfNew } from '../database/insert-if-new.js';
import { Membership } from '../entities/membership.entity.js';
import { UserAccount } from '../entities/user-account.entity.js';
import { type Attempt, countAttempt, findBlocked, forgetAccount, forgetAttempts } from './attempts.js';
import { listOrganisations, type Organisation } from './organisations.js';
import { hashPassword, verifyPassword } from './password.js';
import { assertPasswordIsGood } from './password-rules.js';
import { endPasswordLink } from './password-links.service.js';
import type { Role } from './roles.js';
import { type Origin, SessionsService } from './sessions.service.js';

/** Somebody who wants to be a user. */
export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** Users of the dashboard: who they are, and how they show it. */
@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource(DASHBOARD_DATA_SOURCE) private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Counts an organisation that signs up, before it costs the hashing of a password.
   * @throws DashboardError (429) after too many from its network
   */
  async countSignUp({ ip }: Origin): Promise<void> {
    await countAttempt(this.dataSource, [{ kind: 'sign-up', subject: toNetwork(ip) }], createStranger(ip));
  }

  /**
   * Makes a user. The hashing is done by the caller, before the transaction: it takes longer than any statement.
   * @returns the user; null when the e-mail address has an account, which a caller must not tell strangers
   */
  async createUser(
    tx: EntityManager,
    user: Omit<NewUser, 'password'> & { passwordHash: string },
  ): Promise<string | null> {
    const { name, passwordHash } = user;
    const row = { id: uuidv7(), email: normaliseEmail(user.email), name, passwordHash, createdAt: SERVICE_NOW };
    return (await insertIfNew(tx, UserAccount, row)) ? row.id : null;
  }

  /**
   * Opens a session for a user who knows the password.
   * @returns the session's secret
   * @throws DashboardError 401 when either is wrong, without telling which; 429 after too many failures
   */
  async signIn(given: Pick<NewUser, 'email' | 'password'>, origin: Origin): Promise<string> {
    const email = normaliseEmail(given.email);
    const proven = await this.verifySignIn({ email, password: given.password }, origin);
    const { userId } = proven;
    return this.dataSource.transaction(async (tx) => {
      await lockWithSamePassword(tx, proven);
      await endPasswordLink(tx, userId);
      await forgetAttempts(tx, proven.attempts);
      const secret = await this.sessions.open(tx, userId, origin);
      await enterNoOrganisation(tx);
      const actor = { userId, email, ip: origin.ip };
      await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action: 'user.signed_in', subject: email });
      return secret;
    });
  }

  /** Changes the password of who knows the present one, and ends their other sessions. @throws DashboardError */
  async changePassword(
    { userId, email, sessionId }: { userId: string; email: string; sessionId: string },
    { current, next }: { current: string; next: string },
    origin: Origin,
  ): Promise<void> {
    await assertPasswordIsGood(next, { email, organisations: await this.listOrganisations(userId) }, '/next');
    const proven = await this.verifySignIn({ email, password: current }, origin);
    const passwordHash = await hashPassword(next, email);
    await this.dataSource.transaction(async (tx) => {
      const parameters = [userId, proven.passwordHash, passwordHash];
      const [{ changed }] = await tx.query<{ changed: boolean }[]>(
        'SELECT change_password($1, $2, $3) AS changed',
        parameters,
      );
      if (!changed) throw new DashboardError('sign_in_refused');
      await forgetAttempts(tx, proven.attempts);
      await this.sessions.endOthers(tx, userId, sessionId);
      await enterNoOrganisation(tx);
      const actor = { userId, email, ip: origin.ip };
      await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action: 'user.password_changed', subject: email });
    });
  }

  /** Changes how a user is called, in every organisation. */
  async rename(actor: UserActor, name: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT rename_user($1, $2)', [actor.userId, name]);
      await enterNoOrganisation(tx);
      const change: Change = {
        tenantId: NO_ORGANISATION,
        action: 'user.renamed',
        subject: actor.email,
        details: { name },
      };
      await appendAudit(tx, actor, change);
    });
  }

  /** Signs a user out everywhere but here. */
  async endOtherSessions(actor: UserActor, sessionId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await confirmAccess(tx, { isExclusive: true });
      await this.sessions.endOthers(tx, actor.userId, sessionId);
      await enterNoOrganisation(tx);
      const change: Change = { tenantId: NO_ORGANISATION, action: 'user.other_sessions_ended', subject: actor.email };
      await appendAudit(tx, actor, change);
    });
  }

  /**
   * Gives a user another password without the present one, and ends all their sessions: for the operator, who has made
   * sure who asks.
   * @returns whether there is such a user
   */
  async resetPassword(email: string, password: string): Promise<boolean> {
    const passwordHash = await hashPassword(password);
    const userId = await this.dataSource.transaction((tx) =>
      this.replacePassword(tx, normaliseEmail(email), passwordHash),
    );
    return userId !== null;
  }

  /** The same in a transaction of an operator's command. @returns the user; null when there is no such one */
  async replacePassword(tx: EntityManager, email: string, passwordHash: string): Promise<string | null> {
    const userId = await findUserId(tx, email);
    if (userId === null) return null;
    await tx.update(UserAccount, { id: userId }, { passwordHash });
    await endPasswordLink(tx, userId);
    await forgetAccount(tx, email);
    await this.sessions.endAll(tx, userId);
    const change: Change = { tenantId: NO_ORGANISATION, action: 'user.password_reset', subject: email };
    await appendAudit(tx, COMMAND_ACTOR, change);
    return userId;
  }

  /** Makes a user a member of an organisation. @throws DashboardError (409) when they are one, whatever their role */
  async addMember(tx: EntityManager, member: { tenantId: string; userId: string; role: Role }): Promise<void> {
    const isNew = await insertIfNew(tx, Membership, { ...member, createdAt: SERVICE_NOW });
    if (!isNew) throw new DashboardError('already_member');
  }

  /** The organisations that a user is a member of, by name. */
  listOrganisations(userId: string): Promise<Organisation[]> {
    return listOrganisations(this.dataSource, userId);
  }

  private async verifySignIn(
    { email, password }: Pick<NewUser, 'email' | 'password'>,
    origin: Origin,
  ): Promise<VerifiedSignIn> {
    const attempts = await this.countSignIn(email, origin);
    const [found] = await this.dataSource.query<{ user_id: string; password_hash: string }[]>(
      'SELECT user_id, password_hash FROM find_password($1)',
      [email],
    );
    const isRight = await verifyPassword(found?.password_hash, password, toNetwork(origin.ip));
    if (!isRight) {
      await this.recordFailure(email, origin);
      throw new DashboardError('sign_in_refused');
    }
    return { userId: found.user_id, passwordHash: found.password_hash, attempts };
  }

  /**
   * Counts a sign-in as failed until it succeeds. A browser that has signed in to the account before is counted by
   * itself, so that no stranger's failures hold it up; with too many failures it is a stranger again.
   * @returns what it was counted as
   * @throws DashboardError (429)
   */
  private async countSignIn(email: string, origin: Origin): Promise<readonly Attempt[]> {
    const device = this.sessions.findDevice(email, origin);
    if (device !== null) {
      const known: Attempt[] = [{ kind: 'device', subject: device }];
      if ((await findBlocked(this.dataSource, known)) === null) return known;
    }
    const network = toNetwork(origin.ip);
    const attempts: Attempt[] = [
      { kind: 'sign-in', subject: `${email} ${network}` },
      { kind: 'network', subject: network },
      { kind: 'account', subject: email },
    ];
    await countAttempt(this.dataSource, attempts, createStranger(origin.ip));
    return attempts;
  }

  // The same for an address without an account: the time of the response tells nothing.
  private async recordFailure(email: string, { ip }: Origin): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await enterNoOrganisation(tx);
      const entry: Change = { tenantId: NO_ORGANISATION, action: 'user.sign_in_failed', subject: email };
      await appendAudit(tx, createStranger(ip), entry);
    });
  }
}

/** Who has shown their password, and which one it was. */
interface VerifiedSignIn {
  readonly userId: string;
  readonly passwordHash: string;
  /** What the sign-in was counted as. */
  readonly attempts: readonly Attempt[];
}

/**
 * Locks the user's row and confirms that the password has not changed since it was verified. Otherwise a password that
 * was reset during the hashing could open a session or be changed back.
 * @throws DashboardError (401) if the password has changed
 */
async function lockWithSamePassword(tx: EntityManager, { userId, passwordHash }: VerifiedSignIn): Promise<void> {
  const [{ locked }] = await tx.query<{ locked: boolean }[]>('SELECT lock_proven_user($1, $2) AS locked', [
    userId,
    passwordHash,
  ]);
  if (!locked) throw new DashboardError('sign_in_refused');
}

/** The user with this e-mail address; null when there is none. */
export async function findUserId(tx: EntityManager, email: string): Promise<string | null> {
  const user = await tx.findOneBy(UserAccount, { email: normaliseEmail(email) });
  return user?.id ?? null;
}

/** E-mail addresses are compared in small letters, whether an accent is a character by itself or not. */
export function normaliseEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

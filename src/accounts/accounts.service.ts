import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { toNetwork } from '../common/network.js';
import { confirmAccess } from '../database/access.js';
import { SERVICE_NOW } from '../database/clock.js';
import { DASHBOARD_DATA_SOURCE } from '../database/database.module.js';
import { insertIfNew } from '../database/insert-if-new.js';
import { Membership } from '../entities/membership.entity.js';
import { UserAccount } from '../entities/user-account.entity.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import { type Attempt, countAttempt, findBlocked, forgetAccount, forgetAttempts } from './attempts.js';
import {
  appendAudit,
  COMMAND_ACTOR,
  createStranger,
  enterNoOrganisation,
  NO_ORGANISATION,
  type UserActor,
  type Change,
} from './audit.js';
import { listOrganisations, type Organisation } from './organisations.js';
import { endPasswordLink } from './password-links.service.js';
import { assertPasswordIsGood } from './password-rules.js';
import { hashPassword, verifyPassword } from './password.js';
import type { Role } from './roles.js';
import { type Origin, SessionsService } from './sessions.service.js';

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource(DASHBOARD_DATA_SOURCE) private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
  ) {}

  /** Counts a sign-up attempt. @throws DashboardError (429) after too many attempts from the same network */
  async countSignUp({ ip }: Origin): Promise<void> {
    await countAttempt(this.dataSource, [{ kind: 'sign-up', subject: toNetwork(ip) }], createStranger(ip));
  }

  /** Creates a user. Hash the password before the database transaction. @returns null if the address has an account */
  async createUser(
    tx: EntityManager,
    user: Omit<NewUser, 'password'> & { passwordHash: string },
  ): Promise<string | null> {
    const { name, passwordHash } = user;
    const row = { id: uuidv7(), email: normaliseEmail(user.email), name, passwordHash, createdAt: SERVICE_NOW };
    return (await insertIfNew(tx, UserAccount, row)) ? row.id : null;
  }

  /**
   * Verifies the password and opens a session.
   * @returns the session secret
   * @throws DashboardError (401) if the address or the password is wrong, 429 after too many failures
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

  /** Changes a password after verifying the current one, and ends the user's other sessions. @throws DashboardError */
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

  async endOtherSessions(actor: UserActor, sessionId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await confirmAccess(tx, { isExclusive: true });
      await this.sessions.endOthers(tx, actor.userId, sessionId);
      await enterNoOrganisation(tx);
      const change: Change = { tenantId: NO_ORGANISATION, action: 'user.other_sessions_ended', subject: actor.email };
      await appendAudit(tx, actor, change);
    });
  }

  /** Sets a new password and ends all sessions on behalf of an operator. @returns whether the user exists */
  async resetPassword(email: string, password: string): Promise<boolean> {
    const passwordHash = await hashPassword(password);
    const userId = await this.dataSource.transaction((tx) =>
      this.replacePassword(tx, normaliseEmail(email), passwordHash),
    );
    return userId !== null;
  }

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

  /** Adds a user to an organisation. @throws DashboardError (409) if the user is already a member */
  async addMember(tx: EntityManager, member: { tenantId: string; userId: string; role: Role }): Promise<void> {
    const isNew = await insertIfNew(tx, Membership, { ...member, createdAt: SERVICE_NOW });
    if (!isNew) throw new DashboardError('already_member');
  }

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
   * Counts a sign-in as failed until it succeeds. Browsers that have signed in to the account have their own counter.
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

  // Also runs for unknown e-mail addresses, so that the response time does not reveal accounts.
  private async recordFailure(email: string, { ip }: Origin): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await enterNoOrganisation(tx);
      const entry: Change = { tenantId: NO_ORGANISATION, action: 'user.sign_in_failed', subject: email };
      await appendAudit(tx, createStranger(ip), entry);
    });
  }
}

interface VerifiedSignIn {
  readonly userId: string;
  readonly passwordHash: string;
  readonly attempts: readonly Attempt[];
}

/** Locks the user's row. @throws DashboardError (401) if the password has been reset since it was verified */
async function lockWithSamePassword(tx: EntityManager, { userId, passwordHash }: VerifiedSignIn): Promise<void> {
  const [{ locked }] = await tx.query<{ locked: boolean }[]>('SELECT lock_proven_user($1, $2) AS locked', [
    userId,
    passwordHash,
  ]);
  if (!locked) throw new DashboardError('sign_in_refused');
}

export async function findUserId(tx: EntityManager, email: string): Promise<string | null> {
  const user = await tx.findOneBy(UserAccount, { email: normaliseEmail(email) });
  return user?.id ?? null;
}

export function normaliseEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

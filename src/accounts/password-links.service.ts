import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { toNetwork } from '../common/network.js';
import { isAfterNow, readServiceNow } from '../database/clock.js';
import { DASHBOARD_DATA_SOURCE } from '../database/database.module.js';
import { PasswordLink } from '../entities/password-link.entity.js';
import { UserAccount } from '../entities/user-account.entity.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import { appendAudit, COMMAND_ACTOR, enterNoOrganisation, NO_ORGANISATION, type Change } from './audit.js';
import { listOrganisations } from './organisations.js';
import { assertPasswordIsGood } from './password-rules.js';
import { hashPassword } from './password.js';
import { createSecret, digestSecret } from './secrets.js';
import { type Origin, SessionsService } from './sessions.service.js';

const VALID_SECONDS = 3 * 24 * 3_600;

export interface MadePasswordLink {
  readonly secret: string;
  readonly expiresAt: Date;
}

export interface FoundPasswordLink {
  readonly userId: string;
  readonly email: string;
}

/**
 * One-time links for setting a password, created by an operator who knows the user, because addresses are not verified.
 * Valid for three days, until a sign-in or a password change.
 */
@Injectable()
export class PasswordLinksService {
  constructor(
    @InjectDataSource(DASHBOARD_DATA_SOURCE) private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
  ) {}

  async make(email: string): Promise<MadePasswordLink> {
    const secret = createSecret();
    return this.dataSource.transaction(async (tx) => {
      const { id: userId } = await tx.findOneByOrFail(UserAccount, { email });
      const createdAt = await readServiceNow(tx);
      const expiresAt = new Date(createdAt.getTime() + VALID_SECONDS * 1_000);
      await tx.upsert(PasswordLink, { userId, digest: digestSecret(secret), createdAt, expiresAt }, ['userId']);
      const change: Change = {
        tenantId: NO_ORGANISATION,
        action: 'user.link_created',
        subject: email,
        details: { expiresAt },
      };
      await appendAudit(tx, COMMAND_ACTOR, change);
      return { secret, expiresAt };
    });
  }

  /** Returns the user of a link. @throws DashboardError (404) if the link is not valid */
  async lookUp(secret: string): Promise<FoundPasswordLink> {
    const { manager } = this.dataSource;
    const valid = { digest: digestSecret(secret), expiresAt: isAfterNow() };
    // The API's database role may not read the creation time.
    const link = await manager.findOne(PasswordLink, { select: { userId: true }, where: valid });
    const user = link && (await manager.findOneBy(UserAccount, { id: link.userId, disabledAt: IsNull() }));
    if (user === null) throw new DashboardError('password_link_not_found');
    return { userId: user.id, email: user.email };
  }

  /**
   * Sets the password, ends the user's sessions and signs the user in.
   * @returns the session secret
   * @throws DashboardError (404) if the link is not valid, ValidationError (400) if the password is easy to guess
   */
  async use(secret: string, password: string, origin: Origin): Promise<string> {
    const { userId, email } = await this.lookUp(secret);
    const organisations = await listOrganisations(this.dataSource, userId);
    await assertPasswordIsGood(password, { email, organisations }, '/password');
    const passwordHash = await hashPassword(password, toNetwork(origin.ip));
    return this.dataSource.transaction(async (tx) => {
      const parameters = [digestSecret(secret), passwordHash];
      const [{ used }] = await tx.query<{ used: string | null }[]>(
        'SELECT use_password_link($1, $2) AS used',
        parameters,
      );
      if (used !== userId) throw new DashboardError('password_link_not_found');
      await this.sessions.endAll(tx, userId);
      await enterNoOrganisation(tx);
      const actor = { userId, email, ip: origin.ip };
      await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action: 'user.link_used', subject: email });
      return this.sessions.open(tx, userId, origin);
    });
  }
}

/** Deletes a user's link. The caller must have locked the user. */
export async function endPasswordLink(tx: EntityManager, userId: string): Promise<void> {
  await tx.delete(PasswordLink, { userId });
}

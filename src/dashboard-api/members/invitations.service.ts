import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { AccountsService, normaliseEmail } from '../../accounts/accounts.service.js';
import { hashPassword } from '../../accounts/password.js';
import { assertPasswordIsGood } from '../../accounts/password-rules.js';
import { revokeInvitations } from '../../accounts/open-invitations.js';
import type { Role } from '../../accounts/roles.js';
import { createSecret, digestSecret } from '../../accounts/secrets.js';
import { type Origin, type Session, SessionsService } from '../../accounts/sessions.service.js';
import { appendAudit, type Change } from '../../audit/audit.js';
import { toNetwork } from '../../common/network.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { DASHBOARD_DATA_SOURCE, DashboardTransactions } from '../../database/database.module.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import type { Member } from '../session/access.js';
import {
  acceptInvitation,
  findInvitation,
  type FoundInvitation,
  insertInvitation,
  type InvitationRow,
  listInvitations,
  revokeInvitation,
} from './invitations.sql.js';
import { isMember } from './members.sql.js';

const VALID_SECONDS = 7 * 24 * 3_600;

/** Ends the transaction: the invitation stays open for the user of the account. */
class AddressTaken extends Error {}

/** An invitation that was just made, with the secret of its link, which is kept nowhere. */
export interface MadeInvitation extends InvitationRow {
  readonly secret: string;
}

/**
 * Links that make somebody a member. A link is handed over by the inviter, so it may go astray: it only serves the
 * e-mail address that it was made for, once, and for a week.
 */
@Injectable()
export class InvitationsService {
  constructor(
    @InjectDataSource(DASHBOARD_DATA_SOURCE) private readonly dataSource: DataSource,
    private readonly transactions: DashboardTransactions,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
  ) {}

  /** The open invitations, the newest first. */
  list({ tenantId }: Member, request: PageRequest): Promise<Page<InvitationRow>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      toPage(await listInvitations(tx, tenantId, request), request, ({ invitationId }) => invitationId),
    );
  }

  /** Invites an address; its earlier links end. @throws DashboardError (409) when that person is a member already */
  create({ tenantId, actor, session }: Member, given: { email: string; role: Role }): Promise<MadeInvitation> {
    const [email, role, secret] = [normaliseEmail(given.email), given.role, createSecret()];
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      if (await isMember(tx, tenantId, email)) throw new DashboardError('already_member');
      // The link that was made last is the one that holds.
      await revokeInvitations(tx, { tenantId, email });
      const invitationId = uuidv7();
      const { createdAt, expiresAt } = await insertInvitation(tx, {
        tenantId,
        invitationId,
        email,
        role,
        digest: digestSecret(secret),
        invitedBy: session.userId,
        validSeconds: VALID_SECONDS,
      });
      const details = { invitationId, role, expiresAt };
      await appendAudit(tx, actor, { tenantId, action: 'invitation.created', subject: email, details });
      return { invitationId, email, role, createdAt, expiresAt, invitedBy: session.email, secret };
    });
  }

  /** @throws DashboardError (404) when there is no such open invitation */
  revoke({ tenantId, actor }: Member, invitationId: string): Promise<void> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const revoked = isUuid(invitationId) ? await revokeInvitation(tx, tenantId, invitationId) : null;
      if (revoked === null) {
        throw new DashboardError('not_found_here', { message: 'This organisation has no such open invitation' });
      }
      const details = { invitationId, role: revoked.role };
      await appendAudit(tx, actor, { tenantId, action: 'invitation.revoked', subject: revoked.email, details });
    });
  }

  /**
   * What a link opens. @throws DashboardError (404) when it is used, revoked, expired or unknown, without telling which
   */
  async lookUp(secret: string): Promise<FoundInvitation> {
    const found = await findInvitation(this.dataSource, digestSecret(secret));
    if (found === null || !found.isOpen) throw new DashboardError('invitation_not_found');
    return found;
  }

  /**
   * Makes who is signed in a member.
   * @returns the organisation
   * @throws DashboardError 403 when the link is for another address, 404, or 409 when they are a member already
   */
  async accept(secret: string, { userId, email }: Session, ip: string): Promise<string> {
    const invitation = await this.lookUp(secret);
    const { tenantId, role } = invitation;
    if (invitation.email !== email) {
      const message = `This invitation is for ${invitation.email}, and you are signed in as ${email}: sign out first`;
      throw new DashboardError('invitation_for_another', { message });
    }
    await this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      if (!(await acceptInvitation(tx, invitation))) throw new DashboardError('invitation_not_found');
      await this.accounts.addMember(tx, { tenantId, userId, role });
      const change: Change = { tenantId, action: 'invitation.accepted', subject: email, details: { role } };
      await appendAudit(tx, { userId, email, ip }, change);
    });
    return tenantId;
  }

  /**
   * Makes an account with the link's e-mail address, and its user a member, signed in.
   * @returns the invitation, and the session's secret; null when the address has an account, which the response must not
   *   tell: then its user accepts, signed in
   * @throws DashboardError 404
   * @throws ValidationError (400) for a password that others guess
   */
  async signUp(
    secret: string,
    { name, password }: { name: string; password: string },
    origin: Origin,
  ): Promise<{ invitation: FoundInvitation; session: string | null }> {
    const invitation = await this.lookUp(secret);
    const { tenantId, role, email, organisation } = invitation;
    await assertPasswordIsGood(password, { email, organisations: [{ name: organisation }] }, '/password');
    const passwordHash = await hashPassword(password, toNetwork(origin.ip));
    const joining = this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      if (!(await acceptInvitation(tx, invitation))) throw new DashboardError('invitation_not_found');
      const userId = await this.accounts.createUser(tx, { email, name, passwordHash });
      if (userId === null) throw new AddressTaken();
      await this.accounts.addMember(tx, { tenantId, userId, role });
      const details = { role, hasNewAccount: true };
      const change: Change = { tenantId, action: 'invitation.accepted', subject: email, details };
      await appendAudit(tx, { userId, email, ip: origin.ip }, change);
      return this.sessions.open(tx, userId, origin);
    });
    const session = await joining.catch((error: unknown) => {
      if (error instanceof AddressTaken) return null;
      throw error;
    });
    return { invitation, session };
  }
}

import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { AccountsService, normaliseEmail } from '../../accounts/accounts.service.js';
import { hashPassword } from '../../accounts/password.js';
import { assertPasswordIsGood } from '../../accounts/password-rules.js';
import { revokeInvitations, OPEN_INVITATION } from '../../accounts/open-invitations.js';
import type { Role } from '../../accounts/roles.js';
import { createSecret, digestSecret } from '../../accounts/secrets.js';
import { type Origin, type Session, SessionsService } from '../../accounts/sessions.service.js';
import { appendAudit, type Change } from '../../accounts/audit.js';
import { toNetwork } from '../../common/network.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { DASHBOARD_DATA_SOURCE, DashboardTransactions } from '../../database/database.module.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import type { Member } from '../session/access.js';
import { SERVICE_NOW } from '../../database/clock.js';
import { Invitation } from '../../entities/invitation.entity.js';
import { Membership } from '../../entities/membership.entity.js';
import { UserAccount } from '../../entities/user-account.entity.js';
import type { InvitationDto, MadeInvitationDto } from './dto/member.dto.js';

const VALID_MS = 7 * 24 * 3_600_000;

/** Rolls back the database transaction, so that the owner of the account can still accept the invitation. */
class AddressTaken extends Error {}

/** Invitation links. A link may be leaked, so it works once, for one e-mail address and for one week. */
@Injectable()
export class InvitationsService {
  constructor(
    @InjectDataSource(DASHBOARD_DATA_SOURCE) private readonly dataSource: DataSource,
    private readonly transactions: DashboardTransactions,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
  ) {}

  list({ tenantId }: Member, request: PageRequest): Promise<Page<InvitationDto>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      toPage(await listInvitations(tx, tenantId, request), request, ({ invitationId }) => invitationId),
    );
  }

  /**
   * Creates an invitation and revokes earlier ones for the address.
   * @throws DashboardError (409) if the address belongs to a member
   */
  create({ tenantId, actor, session }: Member, given: { email: string; role: Role }): Promise<MadeInvitationDto> {
    const [email, role, secret] = [normaliseEmail(given.email), given.role, createSecret()];
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      if (await isMember(tx, tenantId, email)) throw new DashboardError('already_member');
      await revokeInvitations(tx, { tenantId, email });
      const invitationId = uuidv7();
      const expiresAt = new Date(now.getTime() + VALID_MS);
      await tx.insert(Invitation, {
        id: invitationId,
        tenantId,
        email,
        role,
        digest: digestSecret(secret),
        invitedBy: session.userId,
        createdAt: now,
        expiresAt,
      });
      const details = { invitationId, role, expiresAt };
      await appendAudit(tx, actor, { tenantId, action: 'invitation.created', subject: email, details });
      return { invitationId, email, role, createdAt: now, expiresAt, invitedBy: session.email, secret };
    });
  }

  /** @throws DashboardError (404) if no such invitation is open */
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

  /** @throws DashboardError (404) for a used, revoked, expired or unknown link, without revealing which */
  async lookUp(secret: string): Promise<FoundInvitation> {
    const found = await findInvitation(this.dataSource, digestSecret(secret));
    if (found === null || !found.isOpen) throw new DashboardError('invitation_not_found');
    return found;
  }

  /**
   * Adds the signed-in user as a member.
   * @returns the tenant id
   * @throws DashboardError 403 for a link of another address, 404, or 409 for a member
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
   * Creates an account with the e-mail address of the link, adds it as a member and opens a session.
   * @returns the invitation and the secret of the session. The secret is null if the address has an account, which the
   *   response must not reveal; its owner must sign in to accept.
   * @throws DashboardError (404)
   * @throws ValidationError (400) for a weak password
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

interface FoundInvitation {
  readonly tenantId: string;
  readonly invitationId: string;
  readonly organisation: string;
  readonly email: string;
  readonly role: Role;
  readonly isOpen: boolean;
}

const IS_OPEN = 'accepted_at IS NULL AND revoked_at IS NULL AND expires_at > service_now()';

interface Query {
  query<T>(statement: string, parameters: unknown[]): Promise<T>;
}

async function findInvitation(database: Query, digest: Buffer): Promise<FoundInvitation | null> {
  const [found] = await database.query<FoundInvitation[]>(
    `SELECT tenant_id AS "tenantId", id AS "invitationId", organisation, email, role, is_open AS "isOpen"
       FROM find_invitation($1)`,
    [digest],
  );
  return found ?? null;
}

function listInvitations(tx: EntityManager, tenantId: string, { after, limit }: PageRequest): Promise<InvitationDto[]> {
  return tx.query<InvitationDto[]>(
    `SELECT i.id AS "invitationId", i.email, i.role, u.email AS "invitedBy", i.created_at AS "createdAt",
            i.expires_at AS "expiresAt"
       FROM invitation i JOIN user_account u ON u.id = i.invited_by
      WHERE i.tenant_id = $1 AND ${IS_OPEN} AND ($2::uuid IS NULL OR i.id < $2) ORDER BY i.id DESC LIMIT $3`,
    [tenantId, after, limit + 1],
  );
}

/**
 * Revokes an open invitation.
 * @returns null if the invitation was not open
 */
async function revokeInvitation(
  tx: EntityManager,
  tenantId: string,
  invitationId: string,
): Promise<Pick<Invitation, 'email' | 'role'> | null> {
  const revoked = await revokeInvitations(tx, { tenantId, id: invitationId });
  return revoked === 0 ? null : tx.findOneByOrFail(Invitation, { tenantId, id: invitationId });
}

/** Marks an invitation as accepted. Of two concurrent calls, only one returns true. */
async function acceptInvitation(
  tx: EntityManager,
  { tenantId, invitationId }: Pick<FoundInvitation, 'tenantId' | 'invitationId'>,
): Promise<boolean> {
  const which = { tenantId, id: invitationId, ...OPEN_INVITATION };
  const { affected } = await tx.update(Invitation, which, { acceptedAt: SERVICE_NOW });
  return affected === 1;
}

async function isMember(tx: EntityManager, tenantId: string, email: string): Promise<boolean> {
  const user = await tx.findOneBy(UserAccount, { email });
  return user !== null && (await tx.existsBy(Membership, { tenantId, userId: user.id }));
}

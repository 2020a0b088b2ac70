import type { EntityManager } from 'typeorm';
import type { Role } from '../../accounts/roles.js';
import type { PageRequest } from '../cursor.js';

/** What a link opens, as it stands now. */
export interface FoundInvitation {
  readonly tenantId: string;
  readonly invitationId: string;
  readonly organisation: string;
  readonly email: string;
  readonly role: Role;
  readonly isOpen: boolean;
  readonly hasAccount: boolean;
}

export interface InvitationRow {
  readonly invitationId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const IS_OPEN = 'accepted_at IS NULL AND revoked_at IS NULL AND expires_at > service_now()';

interface Query {
  query<T>(statement: string, parameters: unknown[]): Promise<T>;
}

/** The invitation of a secret, of whatever organisation; null when there never was one. */
export async function findInvitation(database: Query, digest: Buffer): Promise<FoundInvitation | null> {
  const [found] = await database.query<FoundInvitation[]>(
    `SELECT tenant_id AS "tenantId", id AS "invitationId", organisation, email, role, is_open AS "isOpen",
            has_account AS "hasAccount" FROM find_invitation($1)`,
    [digest],
  );
  return found ?? null;
}

/** The open invitations of an organisation, the newest first: a page of them and one more. */
export function listInvitations(
  tx: EntityManager,
  tenantId: string,
  { after, limit }: PageRequest,
): Promise<InvitationRow[]> {
  return tx.query<InvitationRow[]>(
    `SELECT i.id AS "invitationId", i.email, i.role, u.email AS "invitedBy", i.created_at AS "createdAt",
            i.expires_at AS "expiresAt"
       FROM invitation i JOIN user_account u ON u.id = i.invited_by
      WHERE i.tenant_id = $1 AND ${IS_OPEN} AND ($2::uuid IS NULL OR i.id < $2) ORDER BY i.id DESC LIMIT $3`,
    [tenantId, after, limit + 1],
  );
}

export interface NewInvitation {
  readonly tenantId: string;
  readonly invitationId: string;
  readonly email: string;
  readonly role: Role;
  readonly digest: Buffer;
  readonly invitedBy: string;
  readonly validSeconds: number;
}

export async function insertInvitation(tx: EntityManager, invitation: NewInvitation): Promise<InvitationRow> {
  const { tenantId, invitationId, email, role, digest, invitedBy, validSeconds } = invitation;
  const [row] = await tx.query<InvitationRow[]>(
    `INSERT INTO invitation (tenant_id, id, email, role, digest, invited_by, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, service_now(), service_now() + make_interval(secs => $7))
     RETURNING id AS "invitationId", email, role, created_at AS "createdAt", expires_at AS "expiresAt"`,
    [tenantId, invitationId, email, role, digest, invitedBy, validSeconds],
  );
  return row;
}

/** Ends the open invitations of an e-mail address: the link that was made last is the one that holds. */
export async function revokeInvitationsOf(tx: EntityManager, tenantId: string, email: string): Promise<void> {
  await tx.query(
    `UPDATE invitation SET revoked_at = service_now() WHERE tenant_id = $1 AND email = $2 AND ${IS_OPEN}`,
    [tenantId, email],
  );
}

/** Ends the open invitations that a user made, who may invite no more. @returns how many there were */
export async function revokeInvitationsBy(tx: EntityManager, tenantId: string, userId: string): Promise<number> {
  const [, revoked] = await tx.query<[unknown[], number]>(
    `UPDATE invitation SET revoked_at = service_now() WHERE tenant_id = $1 AND invited_by = $2 AND ${IS_OPEN}`,
    [tenantId, userId],
  );
  return revoked;
}

/** Ends an open invitation. @returns whom it was for; null when there was no such open one */
export async function revokeInvitation(
  tx: EntityManager,
  tenantId: string,
  invitationId: string,
): Promise<{ email: string; role: Role } | null> {
  const [[revoked]] = await tx.query<[({ email: string; role: Role } | undefined)[], number]>(
    `UPDATE invitation SET revoked_at = service_now() WHERE tenant_id = $1 AND id = $2 AND ${IS_OPEN}
     RETURNING email, role`,
    [tenantId, invitationId],
  );
  return revoked ?? null;
}

/** Uses an open invitation up. @returns whether it was open: of two at once, for one only */
export async function acceptInvitation(
  tx: EntityManager,
  { tenantId, invitationId }: Pick<FoundInvitation, 'tenantId' | 'invitationId'>,
): Promise<boolean> {
  const [, accepted] = await tx.query<[unknown[], number]>(
    `UPDATE invitation SET accepted_at = service_now() WHERE tenant_id = $1 AND id = $2 AND ${IS_OPEN}`,
    [tenantId, invitationId],
  );
  return accepted > 0;
}

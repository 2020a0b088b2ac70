import type { EntityManager } from 'typeorm';
import { OPEN_INVITATION, revokeInvitations } from '../../accounts/open-invitations.js';
import type { Role } from '../../accounts/roles.js';
import { SERVICE_NOW, readServiceNow } from '../../database/clock.js';
import { Invitation } from '../../entities/invitation.entity.js';
import type { PageRequest } from '../cursor.js';

/** What a link opens, as it stands now. */
export interface FoundInvitation {
  readonly tenantId: string;
  readonly invitationId: string;
  readonly organisation: string;
  readonly email: string;
  readonly role: Role;
  readonly isOpen: boolean;
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
    `SELECT tenant_id AS "tenantId", id AS "invitationId", organisation, email, role, is_open AS "isOpen"
       FROM find_invitation($1)`,
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

/** @returns from when until when it is valid */
export async function insertInvitation(
  tx: EntityManager,
  { invitationId, validSeconds, ...invitation }: NewInvitation,
): Promise<{ createdAt: Date; expiresAt: Date }> {
  const createdAt = await readServiceNow(tx);
  const expiresAt = new Date(createdAt.getTime() + validSeconds * 1_000);
  await tx.insert(Invitation, { id: invitationId, ...invitation, createdAt, expiresAt });
  return { createdAt, expiresAt };
}

/** Ends an open invitation. @returns whom it was for; null when there was no such open one */
export async function revokeInvitation(
  tx: EntityManager,
  tenantId: string,
  invitationId: string,
): Promise<Pick<Invitation, 'email' | 'role'> | null> {
  const revoked = await revokeInvitations(tx, { tenantId, id: invitationId });
  return revoked === 0 ? null : tx.findOneByOrFail(Invitation, { tenantId, id: invitationId });
}

/** Uses an open invitation up. @returns whether it was open: of two at the same time, for one only */
export async function acceptInvitation(
  tx: EntityManager,
  { tenantId, invitationId }: Pick<FoundInvitation, 'tenantId' | 'invitationId'>,
): Promise<boolean> {
  const which = { tenantId, id: invitationId, ...OPEN_INVITATION };
  const { affected } = await tx.update(Invitation, which, { acceptedAt: SERVICE_NOW });
  return affected === 1;
}

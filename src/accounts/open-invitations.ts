import { type EntityManager, type FindOptionsWhere, IsNull } from 'typeorm';
import { isAfterNow, SERVICE_NOW } from '../database/clock.js';
import { Invitation } from '../entities/invitation.entity.js';

export const OPEN_INVITATION = { acceptedAt: IsNull(), revokedAt: IsNull(), expiresAt: isAfterNow() } as const;

export async function revokeInvitations(
  tx: EntityManager,
  which: Pick<FindOptionsWhere<Invitation>, 'tenantId' | 'id' | 'email' | 'invitedBy'>,
): Promise<number> {
  const { affected } = await tx.update(Invitation, { ...which, ...OPEN_INVITATION }, { revokedAt: SERVICE_NOW });
  return affected ?? 0;
}

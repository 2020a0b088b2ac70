import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import { UserAccount } from './user-account.entity.js';

/** An invitation link. Only the SHA-256 of its secret is stored. */
@Entity('invitation')
@Check('ck_invitation_role', `role IN ('owner', 'member', 'viewer')`)
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_invitation_tenant' })
@ForeignKey(() => UserAccount, ['invitedBy'], ['id'], { name: 'fk_invitation_user' })
@Index('ix_invitation_digest', ['digest'])
export class Invitation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_invitation' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_invitation' })
  id: string;

  @Column('text')
  email: string;

  @Column('text')
  role: string;

  @Column('bytea')
  digest: Buffer;

  @Column('uuid')
  invitedBy: string;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  acceptedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}

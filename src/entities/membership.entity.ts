import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import { UserAccount } from './user-account.entity.js';

/** A user's role in an organisation. */
@Entity('membership')
@Check('ck_membership_role', `role IN ('owner', 'member', 'viewer')`)
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_membership_tenant' })
@ForeignKey(() => UserAccount, ['userId'], ['id'], { name: 'fk_membership_user' })
@Index('ix_membership_user', ['userId'])
export class Membership {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_membership' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_membership' })
  userId: string;

  @Column('text')
  role: string;

  @Column('timestamptz')
  createdAt: Date;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';
import type { IdType } from '../documents/identity.js';
import { Tenant } from './tenant.entity.js';

/** The verification of an organisation for a TIN and id. Without a row, the organisation is unverified. */
@Entity('taxpayer_verification')
@Check('ck_taxpayer_verification_status', `status IN ('waiting', 'verified', 'refused')`)
@Check('ck_taxpayer_verification_decision', `(status = 'waiting') = (decided_by IS NULL)`)
@Check('ck_taxpayer_verification_reason', `(status = 'refused') = (reason IS NOT NULL)`)
@Check('ck_taxpayer_verification_shared', `status = 'verified' OR NOT is_shared`)
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_taxpayer_verification_tenant' })
@Index('uq_taxpayer_verification_tin', ['environment', 'tin'], {
  unique: true,
  where: `status = 'verified' AND NOT is_shared`,
})
@Index('ix_taxpayer_verification_tin', ['tin', 'environment'])
export class TaxpayerVerification {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_taxpayer_verification' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_verification' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_verification' })
  tin: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_verification' })
  idType: IdType;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_verification' })
  idValue: string;

  @Column('text')
  status: 'waiting' | 'verified' | 'refused';

  @Column('boolean', { default: false })
  isShared: boolean;

  @Column('text', { nullable: true })
  reason: string | null;

  /** The operator, as in the audit log; null while waiting. */
  @Column('text', { nullable: true })
  decidedBy: string | null;

  @Column('timestamptz')
  updatedAt: Date;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** The cached response of a TIN check (docs/rules.md#tin-check). */
@Entity('taxpayer_check')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_taxpayer_check_tenant' })
@Index('ix_taxpayer_check_expiry', ['expiresAt'])
export class TaxpayerCheck {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_taxpayer_check' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_check' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_check' })
  tin: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_check' })
  idType: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_taxpayer_check' })
  idValue: string;

  @Column('boolean')
  valid: boolean;

  @Column('timestamptz')
  checkedAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}

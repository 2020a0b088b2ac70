import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Environment } from '../../../../src/config/environment.js';
import { Tenant } from '../../../../src/entities/tenant.entity.js';

/** What became of the documents that a tenant submitted on a day in Malaysia. */
@Entity('nightly_report')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_nightly_report_tenant' })
export class NightlyReport {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_nightly_report' })
  tenantId: string;

  @PrimaryColumn('date', { primaryKeyConstraintName: 'pk_nightly_report' })
  day: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_nightly_report' })
  environment: Environment;

  @Column('integer')
  accepted: number;

  @Column('integer')
  valid: number;
}

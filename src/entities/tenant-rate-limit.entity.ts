import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';

/** Rate limits set by an operator for an organisation. Null means the default. */
@Entity('tenant_rate_limit')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_tenant_rate_limit_tenant' })
export class TenantRateLimit {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tenant_rate_limit' })
  tenantId: string;

  @Column('integer', { nullable: true })
  requestsPerMinute: number | null;

  @Column('integer', { nullable: true })
  submitsPerMinute: number | null;

  @Column('integer', { nullable: true })
  tinChecksPerMinute: number | null;
}

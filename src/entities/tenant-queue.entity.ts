import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** Queue of a tenant's work per environment and operation: when it was last served and why it waits. */
@Entity('tenant_queue')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_tenant_queue_tenant' })
export class TenantQueue {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tenant_queue' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_tenant_queue' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_tenant_queue' })
  operation: string;

  @Column('timestamptz')
  servedAt: Date;

  @Column('timestamptz', { nullable: true })
  waitingUntil: Date | null;

  @Column('timestamptz', { nullable: true })
  waitingSince: Date | null;

  @Column('text', { nullable: true })
  waitingCode: string | null;

  @Column('integer', { default: 0 })
  failures: number;

  /** Since when no dispatcher has had the settings of the environment. */
  @Column('timestamptz', { nullable: true })
  unconfiguredSince: Date | null;

  /** No queued document is due before this time. A claim starts its search here, to skip rows that have left the queue. */
  @Column('timestamptz', { default: '-infinity' })
  floorDueAt: Date;
}

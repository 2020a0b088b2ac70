import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** The queue of a tenant per environment and operation. */
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

  /** Start of the period without a dispatcher for the environment. */
  @Column('timestamptz', { nullable: true })
  unconfiguredSince: Date | null;

  /** No queued document is due earlier, so claims start their search here. */
  @Column('timestamptz', { default: '-infinity' })
  floorDueAt: Date;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** The work of a tenant in an environment for one operation: when it was served last, and why it waits. */
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

  /**
   * Nothing queued is older, as far as the last search knew: searches begin here, and pass by what has left the queue.
   */
  @Column('timestamptz', { default: '-infinity' })
  floorDueAt: Date;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** The work of a tenant in an environment for one operation: when it was served last, and what blocks it. */
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
  blockedUntil: Date | null;

  @Column('timestamptz', { nullable: true })
  blockedSince: Date | null;

  @Column('text', { nullable: true })
  blockedReason: string | null;

  @Column('integer', { default: 0 })
  failures: number;

  /** Why no dispatcher sends its queued documents, though nothing blocks them. */
  @Column('text', { nullable: true })
  unsendableReason: string | null;

  @Column('timestamptz', { nullable: true })
  unsendableSince: Date | null;

  /**
   * Nothing queued is older, as far as the last search knew: searches begin here, and pass by what has left the queue.
   */
  @Column('timestamptz', { default: '-infinity' })
  floorDueAt: Date;
}

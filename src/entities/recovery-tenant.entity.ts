import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Recovery } from './recovery.entity.js';

/** Progress of a recovery for a tenant. Without a row, the tenant has not been searched. */
@Entity('recovery_tenant')
@ForeignKey(() => Recovery, ['recoveryId'], ['id'], { name: 'fk_recovery_tenant_recovery' })
export class RecoveryTenant {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_recovery_tenant' })
  recoveryId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_recovery_tenant' })
  tenantId: string;

  @Column('timestamptz', { nullable: true })
  searchedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  releasedAt: Date | null;
}

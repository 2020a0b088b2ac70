import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Recovery } from './recovery.entity.js';

/** How far a recovery is with a tenant; one without a row has not been searched for. */
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

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';
import type { IdType } from '../documents/identity.js';

/** What the authority last said when the service tried to act for an organisation. */
@Entity('appointment_check')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_appointment_check_tenant' })
export class AppointmentCheck {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_appointment_check' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_appointment_check' })
  environment: Environment;

  /** For whom: says nothing any more once the profile has another TIN. */
  @Column('text')
  onBehalfOf: string;

  @Column('boolean')
  isAppointed: boolean;

  /** The authority's words when it refused. */
  @Column('text', { nullable: true })
  authorityMessage: string | null;

  @Column('timestamptz')
  checkedAt: Date;

  /** The TIN that the authority knows together with the id below; null when it does not, or was not asked. */
  @Column('text', { nullable: true })
  confirmedTin: string | null;

  @Column('text', { nullable: true })
  confirmedIdType: IdType | null;

  @Column('text', { nullable: true })
  confirmedIdValue: string | null;
}

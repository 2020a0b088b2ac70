import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';
import type { IdType } from '../documents/identity.js';

/** Result of the latest login on behalf of an organisation. */
@Entity('appointment_check')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_appointment_check_tenant' })
export class AppointmentCheck {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_appointment_check' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_appointment_check' })
  environment: Environment;

  /** The represented taxpayer. The result does not apply to a later TIN of the profile. */
  @Column('text')
  onBehalfOf: string;

  @Column('boolean')
  isAppointed: boolean;

  /** The authority's error message. */
  @Column('text', { nullable: true })
  authorityMessage: string | null;

  @Column('timestamptz')
  checkedAt: Date;

  /** The TIN that the authority confirmed together with the id below, or null. */
  @Column('text', { nullable: true })
  confirmedTin: string | null;

  @Column('text', { nullable: true })
  confirmedIdType: IdType | null;

  @Column('text', { nullable: true })
  confirmedIdValue: string | null;
}

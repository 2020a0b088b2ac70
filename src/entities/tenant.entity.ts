import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { IdType } from '../documents/identity.js';

/** An organisation and its supplier profile, which may be incomplete during onboarding. */
@Entity('tenant')
@Index('ix_tenant_tin', ['tin'])
export class Tenant {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tenant' })
  tenantId: string;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  tin: string | null;

  @Column('text', { nullable: true })
  idType: IdType | null;

  @Column('text', { nullable: true })
  idValue: string | null;

  @Column('text', { nullable: true })
  sstNumber: string | null;

  @Column('text', { nullable: true })
  ttxNumber: string | null;

  @Column('text', { nullable: true })
  msic: string | null;

  @Column('text', { nullable: true })
  activity: string | null;

  @Column('text', { nullable: true })
  addressLine1: string | null;

  @Column('text', { nullable: true })
  addressLine2: string | null;

  @Column('text', { nullable: true })
  city: string | null;

  @Column('text', { nullable: true })
  postcode: string | null;

  @Column('text', { nullable: true })
  stateCode: string | null;

  @Column('text', { nullable: true })
  country: string | null;

  @Column('text', { nullable: true })
  phone: string | null;

  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { default: '01' })
  defaultTaxType: string;

  @Column('text', { nullable: true })
  defaultClassification: string | null;

  @Column('timestamptz')
  createdAt: Date;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** An API key (docs/rules.md#api-keys). Only the SHA-256 of its text is stored. */
@Entity('api_key')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_api_key_tenant' })
@ForeignKey(() => ApiKey, ['tenantId', 'replacedBy'], ['tenantId', 'id'], { name: 'fk_api_key_replacement' })
@Index('ix_api_key_digest', ['digest'])
export class ApiKey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_api_key' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_api_key' })
  id: string;

  @Column('text')
  environment: Environment;

  @Column('text')
  name: string;

  @Column('text')
  prefix: string;

  @Column('text')
  lastFour: string;

  @Column('bytea')
  digest: Buffer;

  @Column('timestamptz')
  createdAt: Date;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  /** The key that replaced it in a rotation. */
  @Column('uuid', { nullable: true })
  replacedBy: string | null;
}

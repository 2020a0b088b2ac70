import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** The stored response of an accepted request, for replays (docs/rules.md#idempotency). */
@Entity('idempotency_record')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_idempotency_record_tenant' })
@Index('ix_idempotency_record_created', ['createdAt'])
export class IdempotencyRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_idempotency_record' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_idempotency_record' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_idempotency_record' })
  operation: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_idempotency_record' })
  key: string;

  @Column('bytea')
  bodyHash: Buffer;

  @Column('integer')
  responseStatus: number;

  @Column('text')
  response: string;

  @Column('timestamptz')
  createdAt: Date;
}

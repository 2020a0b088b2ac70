import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** An encrypted token for a taxpayer, shared by all replicas. */
@Entity('authority_token')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_authority_token_tenant' })
export class AuthorityToken {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_authority_token' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_authority_token' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_authority_token' })
  clientId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_authority_token' })
  onBehalfOf: string;

  @Column('bytea', { nullable: true })
  ciphertext: Buffer | null;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('uuid', { nullable: true })
  loginOwner: string | null;

  @Column('timestamptz', { nullable: true })
  loginUntil: Date | null;

  /** Null after a later refusal of the taxpayer. */
  @Column('timestamptz', { nullable: true })
  loggedInAt: Date | null;

  /**
   * First successful login since the last refusal, on the authority's clock. Earlier documents are not
   * issued (docs/rules.md#issue-time).
   */
  @Column('timestamptz', { nullable: true })
  appointedSince: Date | null;
}

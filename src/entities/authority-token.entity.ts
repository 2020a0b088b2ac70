import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** A login on behalf of a taxpayer, shared by all replicas; the token is encrypted. */
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

  /** Of the last login that succeeded; null when the taxpayer itself was refused since. */
  @Column('timestamptz', { nullable: true })
  loggedInAt: Date | null;

  /**
   * The first login since the taxpayer last refused us, by the authority's clock; null if there was none. Documents are
   * not issued before it (docs/rules.md#issue-time).
   */
  @Column('timestamptz', { nullable: true })
  appointedSince: Date | null;
}

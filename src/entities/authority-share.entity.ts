import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** Time of the next call of a share of the call budget, used only by `take_authority_share`. */
@Entity('authority_share')
export class AuthorityShare {
  /** A tenant id, or `all` for the requests of all tenants together. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_authority_share' })
  holder: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_authority_share' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_authority_share' })
  api: string;

  @Column('timestamptz')
  nextAt: Date;
}

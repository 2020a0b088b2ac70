import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** A measured difference between the clocks of the authority and the database, valid until the next measurement. */
@Entity('authority_clock')
export class AuthorityClockDifference {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_authority_clock' })
  environment: Environment;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'pk_authority_clock' })
  measuredAt: Date;

  /** Positive if the authority's clock is ahead. */
  @Column('double precision')
  differenceSeconds: number;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** A measured difference between the authority's clock and the database's. It applies until the next one. */
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

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What counts of one rate limit now; only `lease_rate_limits` writes it. */
@Entity('rate_limit_window')
export class RateLimitWindow {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_rate_limit_window' })
  bucket: string;

  @Column('bigint', { array: true })
  seconds: string[];

  @Column('integer', { array: true })
  counts: number[];

  @Column('timestamptz')
  updatedAt: Date;
}

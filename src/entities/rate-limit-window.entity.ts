import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Number of requests across all replicas in one window of a rate limit. */
@Entity('rate_limit_window')
export class RateLimitWindow {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_rate_limit_window' })
  bucket: string;

  @Column('timestamptz')
  startedAt: Date;

  @Column('integer')
  total: number;
}

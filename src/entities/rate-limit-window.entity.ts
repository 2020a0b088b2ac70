import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Requests of all replicas against one rate limit, in the window that starts at `startedAt`. */
@Entity('rate_limit_window')
export class RateLimitWindow {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_rate_limit_window' })
  bucket: string;

  @Column('timestamptz')
  startedAt: Date;

  @Column('integer')
  total: number;
}

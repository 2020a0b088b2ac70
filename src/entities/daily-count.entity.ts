import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/**
 * What the overview shows of a day in Malaysia that is over, from the first time on that it was counted. It holds until a
 * `DailyCountChange` says otherwise.
 */
@Entity('daily_count')
@Index('ix_daily_count_day', ['day'])
export class DailyCount {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_daily_count' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_daily_count' })
  environment: Environment;

  @PrimaryColumn('date', { primaryKeyConstraintName: 'pk_daily_count' })
  day: string;

  /** Attempts that are the last of their document, by status. */
  @Column('jsonb')
  byStatus: object;

  @Column('integer')
  credits: number;
}

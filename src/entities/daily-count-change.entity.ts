import { Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/**
 * An attempt of that day has moved, or was replaced, long after it was accepted: the day must be counted again. Triggers
 * of document_transaction write it, in the statement that moves; who counts deletes it.
 */
@Entity('daily_count_change')
@Index('ix_daily_count_change_day', ['day'])
export class DailyCountChange {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_daily_count_change' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_daily_count_change' })
  environment: Environment;

  @PrimaryColumn('date', { primaryKeyConstraintName: 'pk_daily_count_change' })
  day: string;

  @PrimaryColumn({
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    generated: 'identity',
    primaryKeyConstraintName: 'pk_daily_count_change',
  })
  id: string;
}

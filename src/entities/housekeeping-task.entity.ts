import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a periodic task ran last, on whichever replica. */
@Entity('housekeeping_task')
export class HousekeepingTask {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_housekeeping_task' })
  name: string;

  @Column('timestamptz')
  lastRunAt: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Latest run of a periodic task on any replica. */
@Entity('housekeeping_task')
export class HousekeepingTask {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_housekeeping_task' })
  name: string;

  @Column('timestamptz')
  lastRunAt: Date;
}

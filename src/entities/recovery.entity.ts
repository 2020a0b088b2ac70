import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A restore of the database to an earlier time. Each tenant waits until it is released. */
@Entity('recovery')
// An index on an expression, which TypeORM cannot describe.
@Index('uq_recovery_open', { synchronize: false })
export class Recovery {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_recovery' })
  id: string;

  /** Start of the period whose calls may be missing here. */
  @Column('timestamptz')
  since: Date;

  @Column('timestamptz')
  beganAt: Date;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}

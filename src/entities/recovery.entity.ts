import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A restore of the database to an earlier time: until it ends, each tenant waits until it is released. */
@Entity('recovery')
// Of an expression, which TypeORM cannot describe.
@Index('uq_recovery_open', { synchronize: false })
export class Recovery {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_recovery' })
  id: string;

  /** What was sent since then may be unknown here. */
  @Column('timestamptz')
  since: Date;

  @Column('timestamptz')
  beganAt: Date;

  /** Every tenant is released, or another restore came after this one. */
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}

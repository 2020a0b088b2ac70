import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A registered consumer, which receives all document events until an operator removes it. */
@Entity('event_consumer')
export class EventConsumer {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_event_consumer' })
  name: string;

  @Column('timestamptz')
  registeredAt: Date;
}

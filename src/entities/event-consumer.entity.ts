import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who gets a delivery of every event from then on, until an operator has it forgotten. */
@Entity('event_consumer')
export class EventConsumer {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_event_consumer' })
  name: string;

  @Column('timestamptz')
  registeredAt: Date;
}

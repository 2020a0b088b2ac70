import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A consumer of document events. It receives all events from its first start until an operator removes it. */
@Entity('event_consumer')
export class EventConsumer {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_event_consumer' })
  name: string;

  @Column('timestamptz')
  registeredAt: Date;
}

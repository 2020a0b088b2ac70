import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { AttemptState } from '../documents/statuses.js';
import { DocumentTransaction } from './document-transaction.entity.js';

/** One move of an attempt from a state to the next, keyed by the attempt's version after it; append-only. */
@Entity('status_event')
@ForeignKey(() => DocumentTransaction, ['tenantId', 'transactionId'], ['tenantId', 'id'], {
  name: 'fk_status_event_transaction',
})
export class StatusEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_status_event' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_status_event' })
  transactionId: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_status_event' })
  version: number;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  fromState: AttemptState;

  @Column('text')
  toState: AttemptState;

  @Column('text')
  cause: string;

  @Column('text', { nullable: true })
  correlationId: string | null;
}

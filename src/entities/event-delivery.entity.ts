import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CancellationStatus } from '../documents/statuses.js';

/**
 * An event that a consumer has not handled yet; made by triggers, deleted with what the consumer writes. Without foreign
 * keys: each would lock a row that all changes share.
 */
@Entity('event_delivery')
@Check('ck_event_delivery_source', `(version IS NULL) <> (cancellation_id IS NULL)`)
@Index('ix_event_delivery_due', ['consumer', 'dueAt'])
@Index('ix_event_delivery_dead', ['consumer'], { where: `dead_at IS NOT NULL` })
export class EventDelivery {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_event_delivery' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_event_delivery' })
  consumer: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_event_delivery' })
  documentId: string;

  /** Grows with the events of a document. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'pk_event_delivery' })
  eventId: string;

  @Column('uuid')
  transactionId: string;

  /** Of the attempt after its change, as in `status_event`; null for a cancellation's change. */
  @Column('integer', { nullable: true })
  version: number | null;

  @Column('uuid', { nullable: true })
  cancellationId: string | null;

  /** Of a cancellation. */
  @Column('text', { nullable: true })
  fromStatus: CancellationStatus | null;

  @Column('text', { nullable: true })
  toStatus: CancellationStatus | null;

  @Column('timestamptz')
  at: Date;

  /** Counted when one begins, so that a crash counts. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** While there is an owner, the end of its lease; `infinity` for a dead letter and what waits behind it. */
  @Column('timestamptz')
  dueAt: Date;

  @Column('uuid', { nullable: true })
  owner: string | null;

  /** Of the last attempt that failed. */
  @Column('text', { nullable: true })
  error: string | null;

  /** Failed too often: an operator's command tries again. */
  @Column('timestamptz', { nullable: true })
  deadAt: Date | null;
}

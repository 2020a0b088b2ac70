import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CancellationStatus } from '../documents/statuses.js';

/**
 * An event that a consumer has not handled yet, inserted by triggers. No foreign keys, because each would lock a row
 * shared by all changes.
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

  /** Ascending within a document. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'pk_event_delivery' })
  eventId: string;

  @Column('uuid')
  transactionId: string;

  /** Version of the attempt after the change; null for a cancellation. */
  @Column('integer', { nullable: true })
  version: number | null;

  @Column('uuid', { nullable: true })
  cancellationId: string | null;

  /** Set for a cancellation. */
  @Column('text', { nullable: true })
  fromStatus: CancellationStatus | null;

  @Column('text', { nullable: true })
  toStatus: CancellationStatus | null;

  @Column('timestamptz')
  at: Date;

  /** Incremented before each attempt, so that crashes count. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** End of the lease if there is an owner. `infinity` for a dead letter and the deliveries behind it. */
  @Column('timestamptz')
  dueAt: Date;

  @Column('uuid', { nullable: true })
  owner: string | null;

  @Column('text', { nullable: true })
  error: string | null;

  @Column('timestamptz', { nullable: true })
  deadAt: Date | null;
}

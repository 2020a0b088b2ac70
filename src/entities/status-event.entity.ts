import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AttemptState } from '../documents/statuses.js';

/**
 * A status change of an attempt with its new version. Append-only. No foreign key, because the statement that updates
 * the attempt writes it.
 */
@Entity('status_event')
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

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';

/** One submit call to the authority and its state. Its transactions point to it. */
@Entity('authority_submission')
@Check('ck_authority_submission_state', `state IN ('sending', 'accepted', 'settled', 'unknown', 'failed')`)
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_authority_submission_tenant' })
@Index('ix_authority_submission_due', ['state', 'dueAt'], { where: `due_at IS NOT NULL` })
@Index('ix_authority_submission_client', ['clientId', 'state', 'dueAt'], { where: `due_at IS NOT NULL` })
@Index('ix_authority_submission_lease', ['leaseUntil'], { where: `lease_until IS NOT NULL` })
@Index('ix_authority_submission_doubt', ['sentAt'], { where: `state = 'unknown'` })
export class AuthoritySubmission {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_authority_submission' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_authority_submission' })
  id: string;

  @Column('text')
  environment: Environment;

  /** The client id of the call. Only the same client id can read its documents. */
  @Column('text', { nullable: true })
  clientId: string | null;

  @Column('text')
  state: string;

  @Column('uuid', { nullable: true })
  owner: string | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;

  @Column('timestamptz')
  sentAt: Date;

  @Column('integer')
  sends: number;

  @Column('text', { nullable: true })
  submissionUid: string | null;

  /** Time of the next poll if it has a submissionUid, otherwise of the next reconciliation lookup. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;

  @Column('integer', { default: 0 })
  polls: number;

  @Column('integer', { default: 0 })
  lookups: number;

  /** Polls that returned an invalid document without errors. */
  @Column('integer', { default: 0 })
  pollsWithoutReason: number;

  /** Start of the period in which all lookups (call in doubt) or polls (accepted call) missed documents. */
  @Column('timestamptz', { nullable: true })
  missingSince: Date | null;

  /** End of the wait that a 422 response to a duplicate submission requested. */
  @Column('timestamptz', { nullable: true })
  resendAfter: Date | null;

  @Column('text', { nullable: true })
  correlationId: string | null;

  @Column('text', { nullable: true })
  failure: string | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

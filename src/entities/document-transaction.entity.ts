import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { AuthoritySubmission } from './authority-submission.entity.js';
import { Document } from './document.entity.js';
import { SubmissionBatch } from './submission-batch.entity.js';
import type { Environment } from '../config/environment.js';
import type { DocumentTotals, DocumentType, SimplifiedDocument } from '../documents/simplified-document.js';
import type { AuthorityStatus, SubmissionStatus } from '../documents/statuses.js';

/** One attempt to submit a document, and its outcome. */
@Entity('document_transaction')
@Unique('uq_document_transaction_attempt', ['tenantId', 'documentId', 'attempt'])
@Unique('uq_document_transaction_position', ['tenantId', 'submissionBatchId', 'position'])
@Check(
  'ck_document_transaction_submission_status',
  `submission_status IN ('Queued', 'Processing', 'Submitted', 'SubmitFailed')`,
)
@Check('ck_document_transaction_authority_status', `authority_status IN ('Submitted', 'Valid', 'Invalid', 'Cancelled')`)
@ForeignKey(() => Document, ['tenantId', 'documentId'], ['tenantId', 'id'], {
  name: 'fk_document_transaction_document',
})
@ForeignKey(() => SubmissionBatch, ['tenantId', 'submissionBatchId'], ['tenantId', 'id'], {
  name: 'fk_document_transaction_batch',
})
@ForeignKey(() => AuthoritySubmission, ['tenantId', 'authoritySubmissionId'], ['tenantId', 'id'], {
  name: 'fk_document_transaction_submission',
})
@Index('ix_document_transaction_queue', ['tenantId', 'environment', 'dueAt', 'id'], {
  where: `submission_status = 'Queued' AND held_until IS NULL`,
})
@Index('ix_document_transaction_held', ['tenantId', 'environment', 'parentReferenceId'], {
  where: `submission_status = 'Queued' AND held_until IS NOT NULL`,
})
@Index('ix_document_transaction_submission', ['tenantId', 'authoritySubmissionId'], {
  where: `authority_submission_id IS NOT NULL`,
})
@Index('uq_document_transaction_authority_uuid', ['authorityUuid', 'environment'], {
  unique: true,
  where: `authority_uuid IS NOT NULL`,
})
@Index('ix_document_transaction_parent', ['tenantId', 'environment', 'parentAuthorityUuid'], {
  where: `parent_reference_id IS NOT NULL`,
})
@Index('ix_document_transaction_buyer', ['tenantId', 'environment', 'buyerTin', 'id'])
// An index on an expression, which TypeORM cannot describe.
@Index('ix_document_transaction_list', { synchronize: false })
export class DocumentTransaction {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_document_transaction' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_document_transaction' })
  id: string;

  @Column('text')
  environment: Environment;

  @Column('uuid')
  documentId: string;

  @Column('uuid')
  submissionBatchId: string;

  @Column('integer')
  position: number;

  @Column('integer')
  attempt: number;

  @Column('text')
  documentType: DocumentType;

  @Column('text')
  referenceId: string;

  @Column('jsonb')
  payload: SimplifiedDocument;

  @Column('integer', { default: 1 })
  payloadVersion: number;

  @Column('jsonb')
  totals: DocumentTotals;

  @Column('text')
  buyerTin: string;

  /** The represented taxpayer at acceptance: a TIN or `TIN:BRN`. */
  @Column('text')
  onBehalfOf: string;

  @Column('text', { nullable: true })
  parentType: DocumentType | null;

  @Column('text', { nullable: true })
  parentReferenceId: string | null;

  @Column('text', { nullable: true })
  parentAuthorityUuid: string | null;

  @Column('integer')
  wireBytesMax: number;

  @Column('text', { default: 'Queued' })
  submissionStatus: SubmissionStatus;

  @Column('text', { nullable: true })
  authorityStatus: AuthorityStatus | null;

  @Column('integer', { default: 1 })
  version: number;

  /** Deadline of a held credit note (docs/rules.md#credit-notes); null if it is not held. */
  @Column('timestamptz', { nullable: true })
  heldUntil: Date | null;

  @Column('timestamptz')
  dueAt: Date;

  @Column('integer', { default: 0 })
  refusals: number;

  /** Maximum number of documents in its call. Refused calls are halved. */
  @Column('integer', { default: 100 })
  callSizeMax: number;

  @Column('uuid', { nullable: true })
  authoritySubmissionId: string | null;

  @Column('text', { nullable: true })
  authorityUuid: string | null;

  /** Whether the authority has confirmed `authorityUuid`. */
  @Column('boolean', { default: false })
  uuidConfirmed: boolean;

  @Column('text', { nullable: true })
  authorityLongId: string | null;

  @Column('jsonb', { default: '[]' })
  errors: unknown;

  @Column('timestamptz', { nullable: true })
  issuedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  submittedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  validatedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  cancelledAt: Date | null;

  @Column('timestamptz', { nullable: true })
  rejectionRequestedAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

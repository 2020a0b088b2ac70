import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';
import type { DocumentError } from '../documents/error-catalogue.js';
import type { DocumentType } from '../documents/simplified-document.js';
import { DocumentTransaction } from './document-transaction.entity.js';

/** The bytes built for a transaction. Immutable once a send may have arrived (docs/rules.md#issue-time). */
@Entity('authority_document')
@ForeignKey(() => DocumentTransaction, ['tenantId', 'transactionId'], ['tenantId', 'id'], {
  name: 'fk_authority_document_transaction',
})
@Index('uq_authority_document_identity', ['referenceId', 'supplierTin', 'documentType', 'environment', 'issuedAt'], {
  unique: true,
})
export class AuthorityDocument {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_authority_document' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_authority_document' })
  transactionId: string;

  @Column('bytea')
  bytes: Buffer;

  @Column('text')
  sha256: string;

  @Column('timestamptz')
  issuedAt: Date;

  @Column('text')
  version: string;

  @Column('text')
  environment: Environment;

  @Column('text')
  supplierTin: string;

  @Column('text')
  documentType: DocumentType;

  @Column('text')
  referenceId: string;

  @Column('boolean', { default: false })
  mayHaveArrived: boolean;

  /** Whether an operator requeued it after a lost response. */
  @Column('boolean', { default: false })
  responseLost: boolean;

  /** Time of a refused resend, although an earlier send may have arrived. */
  @Column('timestamptz', { nullable: true })
  refusedAt: Date | null;

  /** Errors of that refusal, which apply if no lookup finds the document. */
  @Column('jsonb', { nullable: true })
  refusal: readonly DocumentError[] | null;

  /** When a lookup first returned a possible match. */
  @Column('timestamptz', { nullable: true })
  shownAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;
}

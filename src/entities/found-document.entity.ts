import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';
import type { AuthorityStatus } from '../documents/statuses.js';
import type { DocumentType } from '../documents/simplified-document.js';

/**
 * A document found at the authority after a restore, without a local attempt. While it is missing or disputed, no
 * document with its number is sent.
 */
@Entity('found_document')
@Check('ck_found_document_state', `state IN ('missing', 'disputed', 'adopted', 'dismissed')`)
@Index('ix_found_document_open', ['referenceId', 'supplierTin', 'environment'], {
  where: `state IN ('missing', 'disputed')`,
})
export class FoundDocument {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_found_document' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_found_document' })
  authorityUuid: string;

  /** Several tenants may represent one taxpayer. */
  @Column('uuid')
  tenantId: string;

  @Column('text')
  submissionUid: string;

  @Column('text')
  supplierTin: string;

  /** Null for an unknown type. */
  @Column('text', { nullable: true })
  documentType: DocumentType | null;

  @Column('text')
  referenceId: string;

  @Column('text', { nullable: true })
  authorityStatus: AuthorityStatus | null;

  @Column('timestamptz', { nullable: true })
  issuedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  receivedAt: Date | null;

  @Column('text', { default: 'missing' })
  state: string;

  @Column('timestamptz')
  foundAt: Date;
}

import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';
import type { AuthorityStatus } from '../documents/statuses.js';
import type { DocumentType } from '../documents/simplified-document.js';

/**
 * A document that the authority has and no attempt here, found after a restore. While it is missing or disputed, no
 * other document of its number is sent.
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

  /** In whose name it was found; another one may represent the same taxpayer. */
  @Column('uuid')
  tenantId: string;

  @Column('text')
  submissionUid: string;

  @Column('text')
  supplierTin: string;

  /** Null: under a type name that this build does not know. */
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

import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';
import type { DocumentType } from '../documents/simplified-document.js';

/**
 * A logical document: the pair (documentType, referenceId) of a tenant in an environment. Its statuses are those of its
 * current transaction.
 */
@Entity('document')
@Unique('uq_document_reference', ['tenantId', 'environment', 'documentType', 'referenceId'])
// Of an expression, which TypeORM cannot describe.
@Index('ix_document_folded_reference', { synchronize: false })
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_document_tenant' })
export class Document {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_document' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_document' })
  id: string;

  @Column('text')
  environment: Environment;

  @Column('text')
  documentType: DocumentType;

  @Column('text')
  referenceId: string;

  @Column('uuid')
  transactionId: string;

  @Column('integer')
  attempts: number;

  @Column('timestamptz')
  createdAt: Date;
}

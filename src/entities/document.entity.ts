import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';
import type { DocumentType } from '../documents/simplified-document.js';

/** A document type and number of a tenant in an environment. Its statuses are those of its current transaction. */
@Entity('document')
@Unique('uq_document_reference', ['tenantId', 'environment', 'documentType', 'referenceId'])
@Index('ix_document_number', ['tenantId', 'environment', 'numberKey'], { where: `number_key IS NOT NULL` })
@Index('ix_document_date', ['tenantId', 'environment', 'documentDate', 'transactionId'], {
  where: `document_date IS NOT NULL`,
})
@Index('ix_document_amount', ['tenantId', 'environment', 'payableSen', 'transactionId'], {
  where: `payable_sen IS NOT NULL`,
})
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

  /** Normalised number for searches (`toSearchKey`). */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  numberKey: string | null;

  @Column('date', { nullable: true })
  documentDate: string | null;

  @Column('bigint', { nullable: true })
  payableSen: string | null;

  @Column('timestamptz')
  createdAt: Date;
}

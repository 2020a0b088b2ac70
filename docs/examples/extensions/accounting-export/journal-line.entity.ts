import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Environment } from '../../../../src/config/environment.js';
import type { DocumentType } from '../../../../src/documents/simplified-document.js';
import { Tenant } from '../../../../src/entities/tenant.entity.js';

/** What accounting posts for a document that became `Valid`. */
@Entity('journal_line')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_journal_line_tenant' })
export class JournalLine {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_journal_line' })
  tenantId: string;

  /** One attempt of a document becomes `Valid` once. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_journal_line' })
  transactionId: string;

  @Column('text')
  environment: Environment;

  @Column('text')
  documentType: DocumentType;

  @Column('text')
  referenceId: string;

  /** In ringgit; below 0 for what is owed to the buyer. TypeORM reads a numeric as a text. */
  @Column('numeric', { precision: 15, scale: 2 })
  amount: string;

  @Column('timestamptz')
  postedAt: Date;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { DocumentTransaction } from './document-transaction.entity.js';

/** The exact bytes built for a transaction. Once a send may have arrived they are never built anew (D7). */
@Entity('authority_document')
@ForeignKey(() => DocumentTransaction, ['tenantId', 'transactionId'], ['tenantId', 'id'], {
  name: 'fk_authority_document_transaction',
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

  @Column('boolean', { default: false })
  mayHaveArrived: boolean;

  @Column('timestamptz')
  createdAt: Date;
}

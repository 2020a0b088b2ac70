import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  DOCUMENT_IDENTITY_COLUMNS,
  DOCUMENT_IDENTITY_FUNCTIONS,
  DOCUMENT_IDENTITY_RIGHTS,
  DOCUMENT_IDENTITY_TRIGGER,
  FILL_BATCHES,
  FILL_DOCUMENTS,
  FILL_TRANSACTIONS,
  notNull,
  STORE_SUBMISSION,
} from './document-identity.js';
import { refuseUuidConflicts } from './uuid-conflicts.js';
import { inBatches, uniqueIndex } from './while-serving.js';

/**
 * Whom each attempt represents, and two rules over all tenants: no two attempts built from now on have the same type,
 * number, supplier TIN and instant of issue, and a uuid of the authority belongs to one attempt. Runs while the build
 * before serves: every statement commits by itself, and all of them can be run again.
 * @throws Error naming every uuid that several attempts hold; nothing has changed then
 */
export class DocumentIdentity1796000000100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await refuseUuidConflicts(runner);
    for (const statement of DOCUMENT_IDENTITY_COLUMNS) await runner.query(statement);
    await runner.query(DOCUMENT_IDENTITY_FUNCTIONS);
    await runner.query(STORE_SUBMISSION);
    await runner.query(DOCUMENT_IDENTITY_RIGHTS);
    await runner.query(DOCUMENT_IDENTITY_TRIGGER);
    await inBatches(runner, FILL_DOCUMENTS);
    await inBatches(runner, FILL_TRANSACTIONS);
    await runner.query(FILL_BATCHES);
    const filled = ['environment', 'supplier_tin', 'document_type', 'reference_id'];
    for (const statement of notNull('authority_document', filled)) await runner.query(statement);
    for (const statement of notNull('document_transaction', ['on_behalf_of'])) await runner.query(statement);
    await uniqueIndex(runner, 'uq_authority_document_identity', {
      on: 'authority_document (reference_id, supplier_tin, document_type, environment, issued_at, exemption)',
    });
    await uniqueIndex(runner, 'uq_document_transaction_authority_uuid', {
      on: 'document_transaction (authority_uuid, environment) WHERE authority_uuid IS NOT NULL',
    });
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS ix_document_transaction_authority_uuid');
  }

  /** Attempts that represent different taxpayers could not be told apart without it. */
  down(): Promise<void> {
    return Promise.reject(new Error('The migration of document identities cannot be reverted'));
  }
}

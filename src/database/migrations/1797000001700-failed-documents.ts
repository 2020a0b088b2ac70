import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  FAILED_DOCUMENT_FUNCTIONS,
  FAILED_DOCUMENT_TABLE,
  FAILED_DOCUMENT_TRIGGERS,
  FILL_FAILED_DOCUMENTS,
} from './failed-documents.js';
import { inBatches } from './while-serving.js';

/**
 * Documents whose last attempt failed, each with its cause and its dismissal. Runs while the build before serves: every
 * statement commits by itself, and all of them can be run again.
 */
export class FailedDocuments1797000001700 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FAILED_DOCUMENT_TABLE);
    await runner.query(FAILED_DOCUMENT_FUNCTIONS);
    for (const trigger of FAILED_DOCUMENT_TRIGGERS) await runner.query(trigger);
    await inBatches(runner, FILL_FAILED_DOCUMENTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER record_failure ON document_transaction');
    await runner.query('DROP TRIGGER forget_failure ON document_transaction');
    await runner.query('DROP FUNCTION record_failure(), forget_failure()');
    await runner.query('DROP TABLE failed_document');
  }
}

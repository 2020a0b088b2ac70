import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps that the authority has shown a document that may be an attempt's: it is then never sent again. */
export class ShownDocuments1799000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_document ADD COLUMN IF NOT EXISTS shown_at timestamptz');
    // Until now only the last lookup of a call was known.
    await runner.query(/* sql */ `
UPDATE authority_document a SET shown_at = now()
  FROM authority_submission s
  JOIN document_transaction t ON t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
 WHERE s.state = 'unknown' AND s.looks > 0 AND s.missing_since IS NULL
   AND a.tenant_id = t.tenant_id AND a.transaction_id = t.id AND a.shown_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_document DROP COLUMN shown_at');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the authority has confirmed a uuid. The previous build neither writes nor reads it. */
export class ConfirmedUuids1797000100510 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
ALTER TABLE document_transaction ADD COLUMN IF NOT EXISTS uuid_confirmed boolean NOT NULL DEFAULT false;
GRANT SELECT (uuid_confirmed), UPDATE (uuid_confirmed) ON document_transaction TO einvoice_operator;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE document_transaction DROP COLUMN uuid_confirmed');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators decide calls that no dispatcher works on, with the cancellations of their documents. */
export class OperatorsCancellations1799000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
GRANT SELECT (id, transaction_id), UPDATE (errors, owner, status, updated_at) ON document_cancellation
  TO einvoice_operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
REVOKE SELECT (id, transaction_id), UPDATE (errors, owner, status, updated_at) ON document_cancellation
  FROM einvoice_operator`);
  }
}

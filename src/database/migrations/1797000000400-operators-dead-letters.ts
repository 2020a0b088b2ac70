import type { MigrationInterface, QueryRunner } from 'typeorm';

// Not what a cancellation's event says, nor whose lease a delivery has.
const GRANTS = /* sql */ `
GRANT SELECT (tenant_id, consumer, document_id, event_id, transaction_id, attempts, error, dead_at) ON event_delivery
  TO einvoice_operator;
GRANT UPDATE (dead_at, attempts, due_at) ON event_delivery TO einvoice_operator`;

/** The operators' pages show dead letters and have them delivered again. */
export class OperatorsDeadLetters1797000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(GRANTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      REVOKE SELECT (tenant_id, consumer, document_id, event_id, transaction_id, attempts, error, dead_at),
             UPDATE (dead_at, attempts, due_at) ON event_delivery FROM einvoice_operator`);
  }
}

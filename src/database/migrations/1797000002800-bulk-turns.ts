import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a bulk job had its last turn, so that organisations take turns. The latest one of an organisation is found by the index. */
export class BulkTurns1797000002800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_job ADD served_at timestamptz');
    await runner.query('CREATE INDEX ix_bulk_job_served ON bulk_job (tenant_id, served_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_job DROP COLUMN served_at');
  }
}

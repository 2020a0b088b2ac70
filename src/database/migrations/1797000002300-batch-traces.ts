import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Batches keep the trace of the request that sent them. The build before neither writes nor reads it. */
export class BatchTraces1797000002300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE submission_batch ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE submission_batch DROP COLUMN traceparent');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time before which the authority asked not to send a call again. The previous build neither writes nor reads it. */
export class ResendAfter1797000010600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_submission ADD COLUMN resend_after timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_submission DROP COLUMN resend_after');
  }
}

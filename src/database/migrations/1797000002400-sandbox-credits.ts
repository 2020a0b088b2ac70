import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lots that only the sandbox may spend. Added without a scan: no lot from before has an environment. */
export class SandboxCredits1797000002400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_lot ADD environment text');
    await runner.query(
      `ALTER TABLE credit_lot ADD CONSTRAINT ck_credit_lot_environment CHECK (environment = 'sandbox') NOT VALID`,
    );
    await runner.query('ALTER TABLE credit_lot VALIDATE CONSTRAINT ck_credit_lot_environment');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_lot DROP COLUMN environment');
  }
}

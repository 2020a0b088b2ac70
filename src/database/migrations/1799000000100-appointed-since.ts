import type { MigrationInterface, QueryRunner } from 'typeorm';

// No build before this one stored the first login. The issue time goes back 71 hours at most, so this keeps it unchanged
// for every taxpayer that has logged in before the update.
const EARLIER_LOGINS = /* sql */ `
UPDATE authority_token SET appointed_since = logged_in_at - interval '71 hours'
 WHERE logged_in_at IS NOT NULL AND appointed_since IS NULL`;

/**
 * Since when logins on behalf of a taxpayer have succeeded. Can be run again, and runs while the previous build serves.
 */
export class AppointedSince1799000000100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_token ADD COLUMN IF NOT EXISTS appointed_since timestamptz');
    await runner.query(EARLIER_LOGINS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_token DROP COLUMN appointed_since');
  }
}

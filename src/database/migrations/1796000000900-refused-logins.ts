import type { MigrationInterface, QueryRunner } from 'typeorm';

// The builds before this one write no `logged_in_at`: a token that still works tells when it was issued, since all of
// them live for an hour. Without it a wrong secret that comes with the update would be taken for the taxpayers'
// refusals.
const LAST_LOGINS = /* sql */ `
UPDATE authority_token SET logged_in_at = expires_at - interval '1 hour'
 WHERE expires_at IS NOT NULL AND logged_in_at IS NULL`;

/**
 * When a login last succeeded, which tells our own refused credentials from a taxpayer's refusal; and how often a
 * submission's invalid documents were looked at without a reason. Can be run again, and runs while the build before
 * serves.
 */
export class RefusedLogins1796000000900 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_token ADD COLUMN IF NOT EXISTS logged_in_at timestamptz');
    await runner.query(
      'ALTER TABLE authority_submission ADD COLUMN IF NOT EXISTS unexplained_looks integer NOT NULL DEFAULT 0',
    );
    await runner.query(LAST_LOGINS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authority_submission DROP COLUMN unexplained_looks');
    await runner.query('ALTER TABLE authority_token DROP COLUMN logged_in_at');
  }
}

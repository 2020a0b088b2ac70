import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The shares that tenants have of the calls that requests make to the authority. Unlogged: written without waiting for
 * the disk, and empty after a crash of the database, which is no harm.
 */
export class AuthorityShares1797000000800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE UNLOGGED TABLE authority_share (
  holder text NOT NULL,
  environment text NOT NULL,
  api text NOT NULL,
  next_at timestamptz NOT NULL,
  CONSTRAINT pk_authority_share PRIMARY KEY (holder, environment, api)
) WITH (fillfactor = 50);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority_share');
  }
}

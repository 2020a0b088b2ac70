import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The API's role counts attempts and no longer renames what they are counted for. The build before uses what is left
 * (docs/decisions/0082-changes-of-accounts-are-functions.md).
 */
export class NarrowThrottles1797000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
REVOKE UPDATE ON sign_in_throttle FROM einvoice_app;
GRANT UPDATE (tries, blocked_until, updated_at) ON sign_in_throttle TO einvoice_app;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('REVOKE UPDATE ON sign_in_throttle FROM einvoice_app');
    await runner.query('GRANT UPDATE ON sign_in_throttle TO einvoice_app');
  }
}

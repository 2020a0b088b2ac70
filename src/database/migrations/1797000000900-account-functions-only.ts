import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts, sessions and throttles are changed by functions alone
 * (docs/decisions/0082-changes-of-accounts-are-functions.md); the build before knows no other way either.
 */
export class AccountFunctionsOnly1797000000900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
REVOKE UPDATE ON user_account, user_session, sign_in_throttle FROM einvoice_app;
REVOKE INSERT ON sign_in_throttle FROM einvoice_app;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
GRANT UPDATE (name, password_hash) ON user_account TO einvoice_app;
GRANT UPDATE (last_seen_at) ON user_session TO einvoice_app;
GRANT INSERT, UPDATE (tries, blocked_until, updated_at) ON sign_in_throttle TO einvoice_app;
`);
  }
}

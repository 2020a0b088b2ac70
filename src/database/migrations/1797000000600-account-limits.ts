import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How often a blocked subject was refused, which the audit log sums up; the build before leaves the column as it is. And
 * who belongs to an organisation, for the operators: its members do not confirm its payments.
 */
export class AccountLimits1797000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sign_in_throttle ADD COLUMN refused integer NOT NULL DEFAULT 0');
    await runner.query('CREATE POLICY operator ON membership FOR SELECT TO einvoice_operator USING (true)');
    await runner.query('GRANT SELECT (tenant_id, user_id) ON membership TO einvoice_operator');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('REVOKE SELECT (tenant_id, user_id) ON membership FROM einvoice_operator');
    await runner.query('DROP POLICY operator ON membership');
    await runner.query('ALTER TABLE sign_in_throttle DROP COLUMN refused');
  }
}

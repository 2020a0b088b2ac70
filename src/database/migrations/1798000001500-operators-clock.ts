import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets operators' decisions see whether the database's clock has jumped. */
export class OperatorsClock1798000001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('GRANT SELECT ON authority_clock TO einvoice_operator');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('REVOKE SELECT ON authority_clock FROM einvoice_operator');
  }
}

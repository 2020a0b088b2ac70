import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The measured differences between the authority's clock and the database's. */
export class AuthorityClock1797000200900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE authority_clock (
  environment text NOT NULL,
  measured_at timestamptz NOT NULL,
  difference_seconds double precision NOT NULL,
  CONSTRAINT pk_authority_clock PRIMARY KEY (environment, measured_at)
);`);
    await runner.query('GRANT SELECT, INSERT, DELETE ON authority_clock TO einvoice_dispatcher');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority_clock');
  }
}

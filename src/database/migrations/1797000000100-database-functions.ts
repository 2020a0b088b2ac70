import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which text of each SQL function the database has, and of which revision; written when the files are applied. */
export class DatabaseFunctions1797000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE database_function (
  name text NOT NULL,
  sha256 text NOT NULL,
  revision integer NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT pk_database_function PRIMARY KEY (name)
);
GRANT SELECT ON database_function TO einvoice_app;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE database_function');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which text of each migration this database ran; written by the run of the migrations, read by the next one. */
export class MigrationHashes1796000000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE schema_migration_hash (
  name text NOT NULL,
  sha256 text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT pk_schema_migration_hash PRIMARY KEY (name)
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schema_migration_hash');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = /* sql */ `
CREATE TABLE IF NOT EXISTS service_process (
  id uuid NOT NULL,
  role text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  metrics_port integer NOT NULL,
  version text NOT NULL,
  environments text[] NOT NULL,
  fingerprints jsonb NOT NULL,
  logins jsonb NOT NULL,
  started_at timestamptz NOT NULL,
  reported_at timestamptz NOT NULL,
  CONSTRAINT pk_service_process PRIMARY KEY (id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON service_process TO einvoice_app, einvoice_dispatcher;`;

/** The running processes, as each reports itself. */
export class ProcessReports1798000001400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE service_process');
  }
}

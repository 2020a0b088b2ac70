import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What operators set of organisations' rate limits, and what counts of every limit now. The counts are unlogged: written
 * without waiting for the disk, and empty after a crash of the database, which is no harm.
 */
export class RateLimits1797000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE tenant_rate_limit (
  tenant_id uuid NOT NULL,
  requests_per_minute integer,
  submits_per_minute integer,
  tin_checks_per_minute integer,
  CONSTRAINT pk_tenant_rate_limit PRIMARY KEY (tenant_id),
  CONSTRAINT fk_tenant_rate_limit_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
ALTER TABLE tenant_rate_limit ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON tenant_rate_limit TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY operator ON tenant_rate_limit TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON tenant_rate_limit TO einvoice_app;
GRANT SELECT, INSERT, UPDATE (requests_per_minute, submits_per_minute, tin_checks_per_minute) ON tenant_rate_limit
  TO einvoice_operator;

CREATE UNLOGGED TABLE rate_limit_window (
  bucket text NOT NULL,
  seconds bigint[] NOT NULL,
  counts integer[] NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT pk_rate_limit_window PRIMARY KEY (bucket)
) WITH (fillfactor = 50);
GRANT SELECT (bucket, updated_at), DELETE ON rate_limit_window TO einvoice_dispatcher;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_limit_window, tenant_rate_limit');
  }
}

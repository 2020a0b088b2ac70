import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a restore to an earlier time needs (docs/decisions/0109-a-restore-is-recognised.md): which server the service
 * works on, the recovery that holds the tenants, and what the authority has that the restored database does not. Makes
 * tables only, so that the build before goes on meanwhile.
 */
export class Recovery1797000002200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE database_server (
  id integer NOT NULL DEFAULT 1,
  system_identifier text NOT NULL,
  timeline text NOT NULL,
  seen_at timestamptz NOT NULL,
  CONSTRAINT pk_database_server PRIMARY KEY (id),
  CONSTRAINT ck_database_server_one CHECK (id = 1)
);
INSERT INTO database_server (system_identifier, timeline, seen_at)
SELECT system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8), service_now() FROM pg_control_system();

CREATE TABLE recovery (
  id uuid NOT NULL,
  since timestamptz NOT NULL,
  began_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT pk_recovery PRIMARY KEY (id)
);
CREATE UNIQUE INDEX uq_recovery_open ON recovery ((ended_at IS NULL)) WHERE ended_at IS NULL;

CREATE TABLE recovery_tenant (
  recovery_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  searched_at timestamptz,
  released_at timestamptz,
  CONSTRAINT pk_recovery_tenant PRIMARY KEY (recovery_id, tenant_id),
  CONSTRAINT fk_recovery_tenant_recovery FOREIGN KEY (recovery_id) REFERENCES recovery (id)
);

CREATE TABLE found_document (
  environment text NOT NULL,
  authority_uuid text NOT NULL,
  tenant_id uuid NOT NULL,
  submission_uid text NOT NULL,
  supplier_tin text NOT NULL,
  document_type text,
  reference_id text NOT NULL,
  authority_status text,
  issued_at timestamptz,
  received_at timestamptz,
  state text NOT NULL DEFAULT 'missing',
  found_at timestamptz NOT NULL,
  CONSTRAINT pk_found_document PRIMARY KEY (environment, authority_uuid),
  CONSTRAINT ck_found_document_state CHECK (state IN ('missing', 'disputed', 'adopted', 'dismissed'))
);
CREATE INDEX ix_found_document_open ON found_document (reference_id, supplier_tin, environment)
  WHERE state IN ('missing', 'disputed');

ALTER TABLE recovery_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE found_document ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON recovery_tenant TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY tenant_isolation ON found_document TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY dispatcher ON recovery_tenant TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY dispatcher ON found_document TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT ON database_server, recovery, recovery_tenant, found_document TO einvoice_dispatcher;
GRANT UPDATE (state, authority_status) ON found_document TO einvoice_dispatcher;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS recognise_server(), begin_recovery(timestamptz), is_known_server()');
    await runner.query('DROP TABLE found_document, recovery_tenant, recovery, database_server');
  }
}

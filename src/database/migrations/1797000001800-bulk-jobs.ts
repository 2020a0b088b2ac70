import type { MigrationInterface, QueryRunner } from 'typeorm';

const RLS = (table: string): string => /* sql */ `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON ${table} TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);`;

/** Changes of many documents that go on without the browser that asked for them. */
export class BulkJobs1797000001800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
CREATE TABLE bulk_job (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL,
  field text,
  value text NOT NULL,
  is_cut boolean NOT NULL,
  status text NOT NULL,
  pause_reason text,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  due_at timestamptz NOT NULL,
  lease_owner uuid,
  CONSTRAINT pk_bulk_job PRIMARY KEY (tenant_id, id),
  CONSTRAINT ck_bulk_job_kind CHECK (kind = 'correct' AND field IS NOT NULL OR kind = 'cancel' AND field IS NULL),
  CONSTRAINT ck_bulk_job_status CHECK (status IN ('checking', 'checked', 'running', 'paused', 'ended')),
  CONSTRAINT ck_bulk_job_paused CHECK ((status = 'paused') = (pause_reason IS NOT NULL)),
  CONSTRAINT fk_bulk_job_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
CREATE INDEX ix_bulk_job_list ON bulk_job (tenant_id, environment, id);
CREATE INDEX ix_bulk_job_due ON bulk_job (due_at) WHERE status IN ('checking', 'running');
${RLS('bulk_job')}
GRANT SELECT, INSERT, DELETE,
      UPDATE (status, pause_reason, user_id, started_at, ended_at, due_at, lease_owner) ON bulk_job TO einvoice_app;

CREATE TABLE bulk_job_item (
  tenant_id uuid NOT NULL,
  job_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  document_id uuid NOT NULL,
  document_type text NOT NULL,
  reference_id text NOT NULL,
  attempt integer NOT NULL,
  state text NOT NULL,
  body text,
  credits integer NOT NULL,
  problems jsonb NOT NULL,
  result_id uuid,
  tries integer NOT NULL,
  CONSTRAINT pk_bulk_job_item PRIMARY KEY (tenant_id, job_id, transaction_id),
  CONSTRAINT ck_bulk_job_item_state CHECK (state IN ('waiting', 'ready', 'refused', 'done', 'changed', 'failed')),
  CONSTRAINT fk_bulk_job_item_job FOREIGN KEY (tenant_id, job_id) REFERENCES bulk_job (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_bulk_job_item_open ON bulk_job_item (tenant_id, job_id, state, transaction_id)
  WHERE state IN ('waiting', 'ready');
${RLS('bulk_job_item')}
GRANT SELECT, INSERT, UPDATE (state, body, credits, problems, result_id, tries) ON bulk_job_item TO einvoice_app;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE bulk_job_item');
    await runner.query('DROP TABLE bulk_job');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class JournalLine1797000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
CREATE TABLE journal_line (
  tenant_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  environment text NOT NULL,
  document_type text NOT NULL,
  reference_id text NOT NULL,
  amount numeric(15,2) NOT NULL,
  posted_at timestamptz NOT NULL,
  CONSTRAINT pk_journal_line PRIMARY KEY (tenant_id, transaction_id),
  CONSTRAINT fk_journal_line_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
ALTER TABLE journal_line ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON journal_line TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY dispatcher ON journal_line TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT ON journal_line TO einvoice_app;
GRANT SELECT, INSERT ON journal_line TO einvoice_dispatcher;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal_line');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NightlyReport1797000000310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
CREATE TABLE nightly_report (
  tenant_id uuid NOT NULL,
  day date NOT NULL,
  environment text NOT NULL,
  accepted integer NOT NULL,
  valid integer NOT NULL,
  CONSTRAINT pk_nightly_report PRIMARY KEY (tenant_id, day, environment),
  CONSTRAINT fk_nightly_report_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
ALTER TABLE nightly_report ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON nightly_report TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY dispatcher ON nightly_report TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT ON nightly_report TO einvoice_app;
GRANT SELECT, INSERT ON nightly_report TO einvoice_dispatcher;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE nightly_report');
  }
}

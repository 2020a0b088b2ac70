import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FAILED_DOCUMENT_FUNCTIONS } from './failed-documents.js';

// What failed and where, without the positions of documents and lines. An error about the supplier has no pointer: its
// field is the label that its hint names, as in `code_not_in_list:profile/State`.
function buildCause(errors: string): string {
  const place = `regexp_replace(regexp_replace(${errors}#>>'{0,pointer}', '^/documents/\\d+', ''), '/\\d+(?=/|$)', '/*', 'g')`;
  return `left(coalesce(${errors}#>>'{0,code}', 'unknown') || coalesce(':' || ${place}, ':profile/' || ${buildLabel(errors)}, ''), 300)`;
}

function buildLabel(errors: string): string {
  return `substring(${errors}#>>'{0,hint}' FROM '^Correct "([^"]+)" in the organisation''s profile ')`;
}

/** Documents that failed because of different fields of the profile have different causes. */
export class CausesOfTheProfile1799000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
CREATE OR REPLACE FUNCTION record_failure() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF OLD.authority_status = 'Invalid' OR OLD.submission_status = 'SubmitFailed' THEN
    UPDATE failed_document SET cause = ${buildCause('NEW.errors')}
     WHERE tenant_id = NEW.tenant_id AND document_id = NEW.document_id AND transaction_id = NEW.id;
  ELSE
    INSERT INTO failed_document (tenant_id, document_id, transaction_id, environment, cause)
    VALUES (NEW.tenant_id, NEW.document_id, NEW.id, NEW.environment, ${buildCause('NEW.errors')})
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$`);
    await runner.query(/* sql */ `
UPDATE failed_document f SET cause = ${buildCause('t.errors')}
  FROM document_transaction t
 WHERE t.tenant_id = f.tenant_id AND t.id = f.transaction_id
   AND f.cause NOT LIKE '%:%' AND ${buildLabel('t.errors')} IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(FAILED_DOCUMENT_FUNCTIONS);
    await runner.query(`UPDATE failed_document SET cause = split_part(cause, ':', 1) WHERE cause LIKE '%:profile/%'`);
  }
}

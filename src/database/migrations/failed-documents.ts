/** The parts of migration 1797000001700, each of which can be run again. */

// What failed and where, without the positions of documents and lines, which differ from one document to the next. The
// code may be the authority's own, of any length; an index row must stay short.
function buildCause(errors: string): string {
  const place = `regexp_replace(regexp_replace(${errors}#>>'{0,pointer}', '^/documents/\\d+', ''), '/\\d+(?=/|$)', '/*', 'g')`;
  return `left(coalesce(${errors}#>>'{0,code}', 'unknown') || coalesce(':' || ${place}, ''), 300)`;
}

export const FAILED_DOCUMENT_TABLE = /* sql */ `
CREATE TABLE IF NOT EXISTS failed_document (
  tenant_id uuid NOT NULL,
  document_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  environment text NOT NULL,
  cause text NOT NULL,
  dismissed_at timestamptz,
  dismissed_by uuid,
  dismissal_reason text,
  CONSTRAINT pk_failed_document PRIMARY KEY (tenant_id, document_id),
  CONSTRAINT ck_failed_document_dismissal CHECK (num_nulls(dismissed_at, dismissed_by, dismissal_reason) IN (0, 3)),
  CONSTRAINT fk_failed_document_document FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id)
);
CREATE INDEX IF NOT EXISTS ix_failed_document_open ON failed_document (tenant_id, environment, transaction_id) WHERE dismissed_at IS NULL;
CREATE INDEX IF NOT EXISTS ix_failed_document_cause ON failed_document (tenant_id, environment, cause, transaction_id) WHERE dismissed_at IS NULL;
CREATE INDEX IF NOT EXISTS ix_failed_document_dismissed ON failed_document (tenant_id, environment, transaction_id) WHERE dismissed_at IS NOT NULL;
ALTER TABLE failed_document ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON failed_document;
CREATE POLICY tenant_isolation ON failed_document TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
GRANT SELECT, UPDATE (dismissed_at, dismissed_by, dismissal_reason) ON failed_document TO einvoice_app;
`;

// They run as the owner, so that no role needs a right to write the table. Errors that come after the status only change
// the row that is there: the document may have been submitted again meanwhile.
export const FAILED_DOCUMENT_FUNCTIONS = /* sql */ `
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
END $$;

CREATE OR REPLACE FUNCTION forget_failure() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM failed_document WHERE tenant_id = NEW.tenant_id AND document_id = NEW.document_id;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION record_failure(), forget_failure() FROM PUBLIC;
`;

/** An attempt that does not fail, and the first of a document, cost the look at the condition. */
export const FAILED_DOCUMENT_TRIGGERS = [
  /* sql */ `CREATE OR REPLACE TRIGGER record_failure AFTER UPDATE ON document_transaction FOR EACH ROW
    WHEN (NEW.authority_status = 'Invalid' OR NEW.submission_status = 'SubmitFailed') EXECUTE FUNCTION record_failure()`,
  /* sql */ `CREATE OR REPLACE TRIGGER forget_failure AFTER INSERT ON document_transaction FOR EACH ROW
    WHEN (NEW.attempt > 1) EXECUTE FUNCTION forget_failure()`,
] as const;

/**
 * $1 and $2 are the last row of the batch before. A document is locked, so that one which is submitted again at the same
 * time is seen with its new attempt and left out.
 */
export const FILL_FAILED_DOCUMENTS = /* sql */ `
WITH batch AS MATERIALIZED (
  SELECT tenant_id, id, document_id, environment, errors,
         coalesce(authority_status = 'Invalid', false) OR submission_status = 'SubmitFailed' AS is_failed
    FROM document_transaction
   WHERE (tenant_id, id) > ($1::uuid, $2::uuid) ORDER BY tenant_id, id LIMIT 1000),
current_failure AS MATERIALIZED (
  SELECT b.* FROM batch b
    JOIN document d ON d.tenant_id = b.tenant_id AND d.id = b.document_id AND d.transaction_id = b.id
   WHERE b.is_failed ORDER BY d.document_type, d.reference_id FOR UPDATE OF d),
filled AS (
  INSERT INTO failed_document (tenant_id, document_id, transaction_id, environment, cause)
  SELECT tenant_id, document_id, id, environment, ${buildCause('errors')} FROM current_failure
  ON CONFLICT DO NOTHING)
SELECT tenant_id AS "tenantId", id FROM batch ORDER BY tenant_id DESC, id DESC LIMIT 1`;

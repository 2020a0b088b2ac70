/**
 * Roles, grants and row-level security.
 *
 * `einvoice_app` is the API: it sees the rows of the tenant that the transaction has set, and none without one.
 * `einvoice_dispatcher` crosses tenants by design and holds rights on the tables that it works on, no others.
 * Neither owns anything, so neither can pass by the policies; the owner (migrations, operator commands) is not subject
 * to them. Roles belong to the cluster, so they may exist already: with a login when the operator made them, without
 * one when they are only granted to login roles.
 */
export const INITIAL_SECURITY = /* sql */ `
DO $$
DECLARE role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['einvoice_app', 'einvoice_dispatcher'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', role_name);
    END IF;
  END LOOP;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO einvoice_app, einvoice_dispatcher;

-- nullif matters: once a connection has used the setting, it is '' and not NULL outside a tenant's transaction.
DO $$
DECLARE table_name text;
BEGIN
  FOR table_name IN
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id'
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format(
      'CREATE POLICY tenant_isolation ON %I TO einvoice_app
         USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)
         WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', table_name);
  END LOOP;
END $$;

GRANT SELECT ON service_clock TO einvoice_app, einvoice_dispatcher;

GRANT SELECT ON tenant, api_key, credit_account, credit_lot, credit_entry, submission_batch, document,
  document_transaction, document_cancellation, dispatch_lane, authority_submission, taxpayer_check,
  idempotency_record, status_event, authority_token, authority_pace TO einvoice_app;
GRANT UPDATE (last_used_at) ON api_key TO einvoice_app;
GRANT UPDATE (balance, entry_sequence) ON credit_account TO einvoice_app;
GRANT UPDATE (remaining) ON credit_lot TO einvoice_app;
GRANT INSERT ON credit_entry, submission_batch, document, document_transaction, document_cancellation, dispatch_lane,
  taxpayer_check, idempotency_record TO einvoice_app;
GRANT UPDATE (transaction_id, attempts) ON document TO einvoice_app;
GRANT UPDATE (valid, checked_at, expires_at) ON taxpayer_check TO einvoice_app;
GRANT INSERT, UPDATE, DELETE ON authority_token TO einvoice_app;
GRANT INSERT, UPDATE ON authority_pace TO einvoice_app;

GRANT SELECT ON tenant, submission_batch, document, document_transaction, document_cancellation, dispatch_lane,
  authority_submission, authority_document, authority_token, authority_pace, status_event, taxpayer_check,
  idempotency_record, housekeeping_task TO einvoice_dispatcher;
GRANT UPDATE ON document_transaction, document_cancellation TO einvoice_dispatcher;
GRANT INSERT, UPDATE ON authority_submission, authority_document, authority_pace, dispatch_lane, housekeeping_task
  TO einvoice_dispatcher;
GRANT INSERT, UPDATE, DELETE ON authority_token TO einvoice_dispatcher;
GRANT INSERT ON status_event TO einvoice_dispatcher;
GRANT DELETE ON taxpayer_check, idempotency_record TO einvoice_dispatcher;

DO $$
DECLARE table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['tenant', 'submission_batch', 'document', 'document_transaction',
    'document_cancellation', 'dispatch_lane', 'authority_submission', 'authority_document', 'authority_token',
    'status_event', 'taxpayer_check', 'idempotency_record']
  LOOP
    EXECUTE format('CREATE POLICY dispatcher ON %I TO einvoice_dispatcher USING (true) WITH CHECK (true)', table_name);
  END LOOP;
END $$;

-- History is written once: not even the owner changes or deletes an entry or an event.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER credit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER status_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON status_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`;

/**
 * Roles, grants and row-level security.
 *
 * `einvoice_app` is the API: it sees the rows of the tenant that the transaction has set, and none without one.
 * `einvoice_dispatcher` crosses tenants by design and holds rights on the tables that it works on, no others.
 * `einvoice_operator` serves the operators' pages of the dashboard: it sees where all tenants' work stands, and sells
 * credits; what documents say is not for it to read.
 * None owns anything, so none can pass by the policies; the owner (migrations, operator commands) is not subject
 * to them. Roles belong to the cluster, so they may exist already: with a login when the operator made them, without
 * one when they are only granted to login roles.
 */
export const INITIAL_SECURITY = /* sql */ `
DO $$
DECLARE role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', role_name);
    END IF;
  END LOOP;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO einvoice_app, einvoice_dispatcher, einvoice_operator;

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

GRANT SELECT ON service_clock TO einvoice_app, einvoice_dispatcher, einvoice_operator;

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

-- The dashboard, in the same role: what users change in their own organisation. Who is an operator, and what a password
-- hashes to, are not for it to say or to read at large.
GRANT INSERT, UPDATE ON tenant TO einvoice_app;
GRANT INSERT, UPDATE (name, expires_at, revoked_at, replaced_by) ON api_key TO einvoice_app;
GRANT SELECT ON authority_document, membership, invitation, credit_order, audit_entry, user_session, sign_in_throttle
  TO einvoice_app;
GRANT SELECT (id, email, name, is_operator, disabled_at, created_at), INSERT (id, email, name, password_hash, created_at),
  UPDATE (name, password_hash) ON user_account TO einvoice_app;
GRANT INSERT, UPDATE (last_seen_at), DELETE ON user_session TO einvoice_app;
GRANT INSERT, UPDATE, DELETE ON sign_in_throttle TO einvoice_app;
GRANT INSERT, UPDATE (role), DELETE ON membership TO einvoice_app;
GRANT INSERT, UPDATE (accepted_at, revoked_at) ON invitation TO einvoice_app;
GRANT INSERT, UPDATE (status, decided_by, decided_at) ON credit_order TO einvoice_app;
GRANT INSERT ON audit_entry TO einvoice_app;
GRANT SELECT, INSERT, UPDATE ON appointment_check TO einvoice_app;

GRANT SELECT ON tenant, submission_batch, document, document_transaction, document_cancellation, dispatch_lane,
  authority_submission, authority_document, authority_token, authority_pace, status_event, taxpayer_check,
  idempotency_record, housekeeping_task TO einvoice_dispatcher;
GRANT UPDATE ON document_transaction, document_cancellation TO einvoice_dispatcher;
GRANT INSERT, UPDATE ON authority_submission, authority_document, authority_pace, dispatch_lane, housekeeping_task
  TO einvoice_dispatcher;
GRANT INSERT, UPDATE, DELETE ON authority_token TO einvoice_dispatcher;
GRANT INSERT ON status_event TO einvoice_dispatcher;
GRANT DELETE ON taxpayer_check, idempotency_record TO einvoice_dispatcher;
-- Housekeeping forgets ended sessions and old failures; whose they are it need not know.
GRANT SELECT (id, expires_at), DELETE ON user_session TO einvoice_dispatcher;
GRANT SELECT, DELETE ON sign_in_throttle TO einvoice_dispatcher;

-- Operators see who waits with what, sell credits, open lanes and decide what stayed in doubt, for every tenant. They hold
-- the columns that these need: what a document says, tokens, keys, sessions and passwords are not theirs to read, and of
-- a document they change where it stands, not what it says.
DO $$
DECLARE table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['tenant', 'credit_account', 'credit_lot', 'credit_entry', 'credit_order',
    'submission_batch', 'document_transaction', 'document_cancellation', 'dispatch_lane', 'authority_submission',
    'authority_document', 'authority_token', 'status_event', 'audit_entry']
  LOOP
    EXECUTE format('CREATE POLICY operator ON %I TO einvoice_operator USING (true) WITH CHECK (true)', table_name);
  END LOOP;
END $$;
GRANT SELECT ON tenant, credit_account, credit_lot, credit_order, dispatch_lane, authority_submission, authority_pace,
  audit_entry, housekeeping_task TO einvoice_operator;
GRANT SELECT (id, email, name) ON user_account TO einvoice_operator;
GRANT SELECT (tenant_id, id, document_count, created_at) ON submission_batch TO einvoice_operator;
GRANT SELECT (tenant_id, id, environment, document_id, submission_batch_id, position, attempt, document_type, reference_id,
  submission_status, authority_status, version, held_until, due_at, refusals, call_size_max, authority_submission_id,
  authority_uuid, authority_long_id, errors, issued_at, submitted_at, validated_at, cancelled_at, rejection_requested_at,
  created_at, updated_at) ON document_transaction TO einvoice_operator;
GRANT SELECT (tenant_id, environment, status, created_at) ON document_cancellation TO einvoice_operator;
GRANT SELECT (tenant_id, transaction_id) ON authority_document TO einvoice_operator;
GRANT SELECT (tenant_id, environment, client_id, expires_at, login_owner, login_until) ON authority_token
  TO einvoice_operator;
GRANT INSERT ON credit_account, credit_lot, credit_entry, authority_submission, status_event, audit_entry
  TO einvoice_operator;
GRANT UPDATE (balance, entry_sequence) ON credit_account TO einvoice_operator;
GRANT UPDATE (remaining) ON credit_lot TO einvoice_operator;
GRANT UPDATE (status, reason, lot_id, decided_by, decided_at) ON credit_order TO einvoice_operator;
GRANT UPDATE (submission_status, authority_status, authority_submission_id, authority_uuid, authority_long_id, errors,
  call_size_max, refusals, due_at, issued_at, submitted_at, validated_at, cancelled_at, rejection_requested_at, version,
  updated_at) ON document_transaction TO einvoice_operator;
GRANT UPDATE (state, submission_uid, next_look_at, looks, missing_since, failure, updated_at) ON authority_submission
  TO einvoice_operator;
GRANT UPDATE (may_have_arrived) ON authority_document TO einvoice_operator;
GRANT UPDATE (blocked_until, blocked_since, blocked_reason, failures, floor_due_at) ON dispatch_lane TO einvoice_operator;
GRANT UPDATE (login_until) ON authority_token TO einvoice_operator;

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
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER status_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON status_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`;

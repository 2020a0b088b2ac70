-- The schema, by feature: each table with its constraints, indexes, policies, grants and triggers. The SQL functions in
-- ../functions/ are created with it.
--
-- Roles. einvoice_app is the API: it sees the rows of the tenant that the transaction has set, and none without one.
-- einvoice_dispatcher works for all tenants, with rights only on the tables that it uses. einvoice_operator serves the
-- operators' pages: it sees the state of all tenants' work and sells credits, but cannot read the content of documents,
-- tokens, keys, sessions or passwords. None of them owns a table, so none bypasses the policies. The owner (migrations,
-- commands) is not subject to them. test/tenancy/grants.ts lists the grants by role.

-- Roles belong to the cluster, so they may exist: with a login if the operator created them, without one if they are
-- granted to login roles.
DO $$
DECLARE role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', role_name);
    END IF;
  END LOOP;
END $$;
-- TypeORM creates schema_migration before the first migration.
GRANT SELECT ON schema_migration TO einvoice_app, einvoice_dispatcher;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO einvoice_app, einvoice_dispatcher, einvoice_operator;

-- Limits the API to the rows of the tenant that its transaction has set. nullif, because the setting is '' instead of
-- NULL after the first such transaction of a connection.
CREATE FUNCTION pg_temp.isolate(p_table regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', p_table);
  EXECUTE format(
    'CREATE POLICY tenant_isolation ON %s TO einvoice_app USING (%2$s) WITH CHECK (%2$s)', p_table,
    $isolation$tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid$isolation$);
END $$;

-- Makes a table append-only, even for the owner.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- Clock

-- The offset by which tests and the simulator move service_now().
CREATE TABLE service_clock (
  id integer NOT NULL DEFAULT 1,
  offset_seconds double precision NOT NULL DEFAULT 0,
  CONSTRAINT pk_service_clock PRIMARY KEY (id),
  CONSTRAINT ck_service_clock_single CHECK (id = 1)
);
INSERT INTO service_clock DEFAULT VALUES;
GRANT SELECT ON service_clock TO einvoice_app, einvoice_dispatcher, einvoice_operator;

-- Organisations

CREATE TABLE tenant (
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  tin text,
  id_type text,
  id_value text,
  sst_number text,
  ttx_number text,
  msic text,
  activity text,
  address_line1 text,
  address_line2 text,
  city text,
  postcode text,
  state_code text,
  country text,
  phone text,
  email text,
  default_tax_type text NOT NULL DEFAULT '01',
  default_classification text,
  created_at timestamptz NOT NULL,
  CONSTRAINT pk_tenant PRIMARY KEY (tenant_id)
);
CREATE INDEX ix_tenant_tin ON tenant (tin);
SELECT pg_temp.isolate('tenant');
CREATE POLICY dispatcher ON tenant TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON tenant TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON tenant TO einvoice_app;
GRANT SELECT ON tenant TO einvoice_dispatcher, einvoice_operator;

-- Limits set by operators. A null or a missing row means the default.
CREATE TABLE tenant_rate_limit (
  tenant_id uuid NOT NULL,
  requests_per_minute integer,
  submits_per_minute integer,
  tin_checks_per_minute integer,
  CONSTRAINT pk_tenant_rate_limit PRIMARY KEY (tenant_id),
  CONSTRAINT fk_tenant_rate_limit_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
SELECT pg_temp.isolate('tenant_rate_limit');
CREATE POLICY operator ON tenant_rate_limit TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON tenant_rate_limit TO einvoice_app;
GRANT SELECT, INSERT, UPDATE (requests_per_minute, submits_per_minute, tin_checks_per_minute)
  ON tenant_rate_limit TO einvoice_operator;

-- Users

CREATE TABLE user_account (
  id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  is_operator boolean NOT NULL DEFAULT false,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT pk_user_account PRIMARY KEY (id),
  CONSTRAINT uq_user_account_email UNIQUE (email),
  CONSTRAINT ck_user_account_email CHECK (email = lower(email))
);
GRANT SELECT (id, email, name, is_operator, disabled_at, created_at),
  INSERT (id, email, name, password_hash, created_at)
  ON user_account TO einvoice_app;
GRANT SELECT (id, email, name) ON user_account TO einvoice_operator;

CREATE TABLE user_session (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  digest bytea NOT NULL,
  ip text NOT NULL,
  user_agent text NOT NULL,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT pk_user_session PRIMARY KEY (id),
  CONSTRAINT uq_user_session_digest UNIQUE (digest),
  CONSTRAINT fk_user_session_user FOREIGN KEY (user_id) REFERENCES user_account (id)
);
CREATE INDEX ix_user_session_user ON user_session (user_id);
GRANT SELECT, INSERT, DELETE ON user_session TO einvoice_app;
GRANT SELECT (id, expires_at), DELETE ON user_session TO einvoice_dispatcher;

CREATE TABLE password_link (
  user_id uuid NOT NULL,
  digest bytea NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT pk_password_link PRIMARY KEY (user_id),
  CONSTRAINT uq_password_link_digest UNIQUE (digest),
  CONSTRAINT fk_password_link_user FOREIGN KEY (user_id) REFERENCES user_account (id)
);
GRANT SELECT (user_id, digest, expires_at), DELETE ON password_link TO einvoice_app;

CREATE TABLE sign_in_throttle (
  subject text NOT NULL,
  tries integer NOT NULL,
  blocked_until timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  refused integer NOT NULL DEFAULT 0,
  CONSTRAINT pk_sign_in_throttle PRIMARY KEY (subject)
);
GRANT SELECT, DELETE ON sign_in_throttle TO einvoice_app, einvoice_dispatcher;

CREATE TABLE membership (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT pk_membership PRIMARY KEY (tenant_id, user_id),
  CONSTRAINT fk_membership_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT fk_membership_user FOREIGN KEY (user_id) REFERENCES user_account (id),
  CONSTRAINT ck_membership_role CHECK (role IN ('owner', 'member', 'viewer'))
);
CREATE INDEX ix_membership_user ON membership (user_id);
SELECT pg_temp.isolate('membership');
CREATE POLICY operator ON membership FOR SELECT TO einvoice_operator USING (true);
GRANT SELECT, INSERT, UPDATE (role), DELETE ON membership TO einvoice_app;
GRANT SELECT (tenant_id, user_id) ON membership TO einvoice_operator;

CREATE TABLE invitation (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  digest bytea NOT NULL,
  invited_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  revoked_at timestamptz,
  CONSTRAINT pk_invitation PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_invitation_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT fk_invitation_user FOREIGN KEY (invited_by) REFERENCES user_account (id),
  CONSTRAINT ck_invitation_role CHECK (role IN ('owner', 'member', 'viewer'))
);
CREATE INDEX ix_invitation_digest ON invitation (digest);
SELECT pg_temp.isolate('invitation');
GRANT SELECT, INSERT, UPDATE (accepted_at, revoked_at) ON invitation TO einvoice_app;

-- API keys

CREATE TABLE api_key (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  last_four text NOT NULL,
  digest bytea NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  replaced_by uuid,
  created_by uuid,
  CONSTRAINT pk_api_key PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_api_key_replacement FOREIGN KEY (tenant_id, replaced_by) REFERENCES api_key (tenant_id, id),
  CONSTRAINT fk_api_key_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
CREATE INDEX ix_api_key_digest ON api_key (digest);
SELECT pg_temp.isolate('api_key');
GRANT SELECT, INSERT, UPDATE (name, expires_at, revoked_at, last_used_at, replaced_by) ON api_key TO einvoice_app;

-- Audit log

-- Entries that belong to no organisation, such as a sign-in, have the nil UUID: hence no foreign key to tenant.
CREATE TABLE audit_entry (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  user_id uuid,
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  details jsonb NOT NULL,
  ip text,
  CONSTRAINT pk_audit_entry PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_audit_entry_user FOREIGN KEY (user_id) REFERENCES user_account (id)
);
CREATE INDEX ix_audit_entry_id ON audit_entry (id);
SELECT pg_temp.isolate('audit_entry');
CREATE POLICY operator ON audit_entry TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON audit_entry TO einvoice_app, einvoice_operator;

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Taxpayers

CREATE TABLE appointment_check (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  on_behalf_of text NOT NULL,
  is_appointed boolean NOT NULL,
  authority_message text,
  checked_at timestamptz NOT NULL,
  -- The TIN and id that the last successful check confirmed.
  confirmed_tin text,
  confirmed_id_type text,
  confirmed_id_value text,
  CONSTRAINT pk_appointment_check PRIMARY KEY (tenant_id, environment),
  CONSTRAINT fk_appointment_check_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
SELECT pg_temp.isolate('appointment_check');
CREATE POLICY operator ON appointment_check TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON appointment_check TO einvoice_app;
GRANT SELECT ON appointment_check TO einvoice_operator;

-- The verification of an organisation for a TIN in an environment. Without a row for its TIN and id, an organisation is
-- unverified. Rows for an earlier TIN are kept only if they are refusals.
CREATE TABLE taxpayer_verification (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  tin text NOT NULL,
  id_type text NOT NULL,
  id_value text NOT NULL,
  status text NOT NULL,
  is_shared boolean NOT NULL DEFAULT false,
  reason text,
  decided_by text,
  updated_at timestamptz NOT NULL,
  CONSTRAINT pk_taxpayer_verification PRIMARY KEY (tenant_id, environment, tin, id_type, id_value),
  CONSTRAINT fk_taxpayer_verification_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT ck_taxpayer_verification_decision CHECK ((status = 'waiting') = (decided_by IS NULL)),
  CONSTRAINT ck_taxpayer_verification_reason CHECK ((status = 'refused') = (reason IS NOT NULL)),
  CONSTRAINT ck_taxpayer_verification_shared CHECK (status = 'verified' OR NOT is_shared),
  CONSTRAINT ck_taxpayer_verification_status CHECK (status IN ('waiting', 'verified', 'refused'))
);
-- Only one of two simultaneous verifications for a TIN succeeds.
CREATE UNIQUE INDEX uq_taxpayer_verification_tin ON taxpayer_verification (environment, tin)
  WHERE status = 'verified' AND NOT is_shared;
CREATE INDEX ix_taxpayer_verification_tin ON taxpayer_verification (tin, environment);
SELECT pg_temp.isolate('taxpayer_verification');
CREATE POLICY operator ON taxpayer_verification TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON taxpayer_verification TO einvoice_app, einvoice_operator;

-- Deletes the verifications for another TIN or id.
CREATE FUNCTION end_verification() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Keeps refusals, so that a change to another TIN and back does not remove them.
  DELETE FROM taxpayer_verification WHERE tenant_id = NEW.tenant_id AND status <> 'refused';
  -- The authority must confirm every changed TIN again, even an earlier one.
  UPDATE appointment_check SET confirmed_tin = NULL, confirmed_id_type = NULL, confirmed_id_value = NULL
   WHERE tenant_id = NEW.tenant_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION end_verification FROM PUBLIC;
CREATE TRIGGER tenant_end_verification AFTER UPDATE OF tin, id_type, id_value ON tenant FOR EACH ROW
  WHEN ((OLD.tin, OLD.id_type, OLD.id_value) IS DISTINCT FROM (NEW.tin, NEW.id_type, NEW.id_value))
  EXECUTE FUNCTION end_verification();

CREATE TABLE taxpayer_check (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  tin text NOT NULL,
  id_type text NOT NULL,
  id_value text NOT NULL,
  valid boolean NOT NULL,
  checked_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT pk_taxpayer_check PRIMARY KEY (tenant_id, environment, tin, id_type, id_value),
  CONSTRAINT fk_taxpayer_check_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
CREATE INDEX ix_taxpayer_check_expiry ON taxpayer_check (expires_at);
SELECT pg_temp.isolate('taxpayer_check');
CREATE POLICY dispatcher ON taxpayer_check TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (valid, checked_at, expires_at) ON taxpayer_check TO einvoice_app;
GRANT SELECT, DELETE ON taxpayer_check TO einvoice_dispatcher;

-- Credits

CREATE TABLE credit_account (
  tenant_id uuid NOT NULL,
  balance integer NOT NULL,
  entry_sequence integer NOT NULL,
  CONSTRAINT pk_credit_account PRIMARY KEY (tenant_id),
  CONSTRAINT fk_credit_account_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT ck_credit_account_balance CHECK (balance >= 0)
);
SELECT pg_temp.isolate('credit_account');
CREATE POLICY operator ON credit_account TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (balance, entry_sequence) ON credit_account TO einvoice_app;
GRANT SELECT, INSERT, UPDATE (balance, entry_sequence) ON credit_account TO einvoice_operator;

CREATE TABLE credit_lot (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  granted integer NOT NULL,
  remaining integer NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  -- A lot with an environment can be spent only there.
  environment text,
  CONSTRAINT pk_credit_lot PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_credit_lot_account FOREIGN KEY (tenant_id) REFERENCES credit_account (tenant_id),
  CONSTRAINT ck_credit_lot_environment CHECK (environment = 'sandbox'),
  CONSTRAINT ck_credit_lot_granted CHECK (granted > 0),
  CONSTRAINT ck_credit_lot_remaining CHECK (remaining BETWEEN 0 AND granted)
);
CREATE INDEX ix_credit_lot_open ON credit_lot (tenant_id, expires_at, id) WHERE remaining > 0;
SELECT pg_temp.isolate('credit_lot');
CREATE POLICY operator ON credit_lot TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (remaining) ON credit_lot TO einvoice_app;
GRANT SELECT, INSERT, UPDATE (remaining) ON credit_lot TO einvoice_operator;

CREATE TABLE credit_entry (
  tenant_id uuid NOT NULL,
  sequence integer NOT NULL,
  kind text NOT NULL,
  amount integer NOT NULL,
  balance_after integer NOT NULL,
  environment text,
  cause_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT pk_credit_entry PRIMARY KEY (tenant_id, sequence),
  CONSTRAINT uq_credit_entry_cause UNIQUE (tenant_id, kind, cause_id),
  CONSTRAINT fk_credit_entry_account FOREIGN KEY (tenant_id) REFERENCES credit_account (tenant_id),
  CONSTRAINT ck_credit_entry_amount CHECK (CASE kind WHEN 'grant' THEN amount > 0 WHEN 'submit' THEN amount < 0 WHEN
    'cancel' THEN amount < 0 WHEN 'expire' THEN amount < 0 ELSE false END),
  CONSTRAINT ck_credit_entry_balance CHECK (balance_after >= 0)
);
SELECT pg_temp.isolate('credit_entry');
CREATE POLICY operator ON credit_entry TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON credit_entry TO einvoice_app;
GRANT INSERT ON credit_entry TO einvoice_operator;

CREATE TRIGGER credit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Without a foreign key to the lot, whose trigger would run for every accepted request.
CREATE TABLE credit_order (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  credits integer NOT NULL,
  status text NOT NULL DEFAULT 'Requested',
  note text,
  requested_by uuid NOT NULL,
  requested_at timestamptz NOT NULL,
  decided_by uuid,
  decided_at timestamptz,
  reason text,
  lot_id uuid,
  price numeric(12,2),
  CONSTRAINT pk_credit_order PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_credit_order_decider FOREIGN KEY (decided_by) REFERENCES user_account (id),
  CONSTRAINT fk_credit_order_requester FOREIGN KEY (requested_by) REFERENCES user_account (id),
  CONSTRAINT fk_credit_order_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT ck_credit_order_credits CHECK (credits > 0),
  CONSTRAINT ck_credit_order_lot CHECK ((status = 'Paid') = (lot_id IS NOT NULL)),
  CONSTRAINT ck_credit_order_status CHECK (status IN ('Requested', 'Paid', 'Refused', 'Cancelled'))
);
CREATE INDEX ix_credit_order_requested ON credit_order (requested_at) WHERE status = 'Requested';
SELECT pg_temp.isolate('credit_order');
CREATE POLICY operator ON credit_order TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (status, decided_by, decided_at) ON credit_order TO einvoice_app;
GRANT SELECT, UPDATE (status, decided_by, decided_at, reason, lot_id) ON credit_order TO einvoice_operator;

-- Submissions

CREATE TABLE idempotency_record (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  response_status integer NOT NULL,
  response text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT pk_idempotency_record PRIMARY KEY (tenant_id, environment, operation, key),
  CONSTRAINT fk_idempotency_record_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
CREATE INDEX ix_idempotency_record_created ON idempotency_record (created_at);
SELECT pg_temp.isolate('idempotency_record');
CREATE POLICY dispatcher ON idempotency_record TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON idempotency_record TO einvoice_app;
GRANT SELECT, DELETE ON idempotency_record TO einvoice_dispatcher;

CREATE TABLE submission_batch (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text NOT NULL,
  submission_type text NOT NULL,
  document_count integer NOT NULL,
  created_at timestamptz NOT NULL,
  -- The tenant's profile when the batch was accepted. Its documents are built with it.
  supplier jsonb,
  -- Without foreign keys to api_key and user_account, whose checks would lock the one key that all
  -- requests of a tenant use.
  api_key_id uuid,
  user_id uuid,
  traceparent text,
  CONSTRAINT pk_submission_batch PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_submission_batch_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT ck_submission_batch_actor CHECK (api_key_id IS NULL OR user_id IS NULL)
);
CREATE INDEX ix_submission_batch_list ON submission_batch (tenant_id, environment, id);
CREATE INDEX ix_submission_batch_key ON submission_batch (tenant_id, environment, api_key_id, id)
  WHERE api_key_id IS NOT NULL;
CREATE INDEX ix_submission_batch_user ON submission_batch (tenant_id, environment, user_id, id)
  WHERE user_id IS NOT NULL;
SELECT pg_temp.isolate('submission_batch');
CREATE POLICY dispatcher ON submission_batch TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON submission_batch TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON submission_batch TO einvoice_app;
GRANT SELECT ON submission_batch TO einvoice_dispatcher;
GRANT SELECT (tenant_id, id, document_count, created_at) ON submission_batch TO einvoice_operator;

CREATE TABLE document (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text NOT NULL,
  document_type text NOT NULL,
  reference_id text NOT NULL,
  transaction_id uuid NOT NULL,
  attempts integer NOT NULL,
  created_at timestamptz NOT NULL,
  -- Normalised number, for searches. Compared bytewise, so that a prefix is an index range with every server locale.
  number_key text COLLATE "C",
  document_date date,
  payable_sen bigint,
  CONSTRAINT pk_document PRIMARY KEY (tenant_id, id),
  CONSTRAINT uq_document_reference UNIQUE (tenant_id, environment, document_type, reference_id),
  CONSTRAINT fk_document_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
) WITH (fillfactor = 90);
-- Each index serves one filter or sort order of the list; the first also finds similar numbers. They are partial, so
-- that other statements do not use them in plans that were created while the table was empty.
CREATE INDEX ix_document_number ON document (tenant_id, environment, number_key) WHERE number_key IS NOT NULL;
CREATE INDEX ix_document_date ON document (tenant_id, environment, document_date, transaction_id)
  WHERE document_date IS NOT NULL;
CREATE INDEX ix_document_amount ON document (tenant_id, environment, payable_sen, transaction_id)
  WHERE payable_sen IS NOT NULL;
SELECT pg_temp.isolate('document');
CREATE POLICY dispatcher ON document TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (transaction_id, attempts, document_date, payable_sen) ON document TO einvoice_app;
GRANT SELECT ON document TO einvoice_dispatcher;

-- Authority calls

CREATE TABLE tenant_queue (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  operation text NOT NULL,
  served_at timestamptz NOT NULL,
  waiting_until timestamptz,
  waiting_since timestamptz,
  waiting_code text,
  failures integer NOT NULL DEFAULT 0,
  -- No queued document of the queue is due earlier, so the search for the oldest one starts here.
  floor_due_at timestamptz NOT NULL DEFAULT '-infinity',
  unconfigured_since timestamptz,
  CONSTRAINT pk_tenant_queue PRIMARY KEY (tenant_id, environment, operation),
  CONSTRAINT fk_tenant_queue_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
) WITH (fillfactor = 80);
SELECT pg_temp.isolate('tenant_queue');
CREATE POLICY dispatcher ON tenant_queue TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON tenant_queue TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON tenant_queue TO einvoice_app;
GRANT SELECT, INSERT, UPDATE ON tenant_queue TO einvoice_dispatcher;
GRANT SELECT, UPDATE (waiting_until, waiting_since, waiting_code, failures, floor_due_at)
  ON tenant_queue TO einvoice_operator;

CREATE TABLE authority_submission (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text NOT NULL,
  state text NOT NULL,
  owner uuid,
  lease_until timestamptz,
  sent_at timestamptz NOT NULL,
  sends integer NOT NULL,
  submission_uid text,
  -- The next poll if it has a submission_uid, otherwise the next reconciliation lookup.
  due_at timestamptz,
  polls integer NOT NULL DEFAULT 0,
  -- Reconciliation lookups since the last send.
  lookups integer NOT NULL DEFAULT 0,
  missing_since timestamptz,
  correlation_id text,
  failure text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  polls_without_reason integer NOT NULL DEFAULT 0,
  resend_after timestamptz,
  -- A dispatcher finds the due calls of its own client id.
  client_id text,
  CONSTRAINT pk_authority_submission PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_authority_submission_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT ck_authority_submission_state CHECK (state IN ('sending', 'accepted', 'settled', 'unknown', 'failed'))
) WITH (fillfactor = 80);
CREATE INDEX ix_authority_submission_due ON authority_submission (state, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_authority_submission_lease ON authority_submission (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX ix_authority_submission_doubt ON authority_submission (sent_at) WHERE state = 'unknown';
CREATE INDEX ix_authority_submission_client ON authority_submission (client_id, state, due_at)
  WHERE due_at IS NOT NULL;
SELECT pg_temp.isolate('authority_submission');
CREATE POLICY dispatcher ON authority_submission TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON authority_submission TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON authority_submission TO einvoice_app;
GRANT SELECT, INSERT, UPDATE ON authority_submission TO einvoice_dispatcher;
GRANT SELECT, INSERT, UPDATE (state, submission_uid, due_at, polls, missing_since, failure, updated_at, client_id)
  ON authority_submission TO einvoice_operator;

CREATE TABLE call_budget (
  client_id text NOT NULL,
  environment text NOT NULL,
  api text NOT NULL,
  next_at timestamptz NOT NULL,
  blocked_until timestamptz NOT NULL,
  blocked_since timestamptz,
  blocked_reason text,
  failures integer NOT NULL DEFAULT 0,
  CONSTRAINT pk_call_budget PRIMARY KEY (client_id, environment, api)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE ON call_budget TO einvoice_app, einvoice_dispatcher;
GRANT SELECT ON call_budget TO einvoice_operator;

-- The share of each tenant in the authority calls of requests. Unlogged because losing the rows in a crash is harmless.
CREATE UNLOGGED TABLE authority_share (
  holder text NOT NULL,
  environment text NOT NULL,
  api text NOT NULL,
  next_at timestamptz NOT NULL,
  CONSTRAINT pk_authority_share PRIMARY KEY (holder, environment, api)
) WITH (fillfactor = 50);

CREATE TABLE authority_token (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  client_id text NOT NULL,
  on_behalf_of text NOT NULL,
  ciphertext bytea,
  expires_at timestamptz,
  login_owner uuid,
  login_until timestamptz,
  -- The last successful login. It distinguishes the service's refused credentials from a taxpayer's refusal.
  logged_in_at timestamptz,
  appointed_since timestamptz,
  CONSTRAINT pk_authority_token PRIMARY KEY (tenant_id, environment, client_id, on_behalf_of),
  CONSTRAINT fk_authority_token_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);
SELECT pg_temp.isolate('authority_token');
CREATE POLICY dispatcher ON authority_token TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON authority_token TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON authority_token TO einvoice_app, einvoice_dispatcher;
GRANT SELECT (tenant_id, environment, client_id, expires_at, login_owner, login_until), UPDATE (login_until)
  ON authority_token TO einvoice_operator;

-- Measured differences between the authority's clock and the database's.
CREATE TABLE authority_clock (
  environment text NOT NULL,
  measured_at timestamptz NOT NULL,
  difference_seconds double precision NOT NULL,
  CONSTRAINT pk_authority_clock PRIMARY KEY (environment, measured_at)
);
GRANT SELECT, INSERT, DELETE ON authority_clock TO einvoice_dispatcher;
GRANT SELECT ON authority_clock TO einvoice_operator;

-- Attempts of documents

-- Rows of 2 to 4 kB are not compressed: they would be 30 % smaller, but decompressed twice per line of a list.
CREATE TABLE document_transaction (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text NOT NULL,
  document_id uuid NOT NULL,
  submission_batch_id uuid NOT NULL,
  position integer NOT NULL,
  attempt integer NOT NULL,
  document_type text NOT NULL,
  reference_id text NOT NULL,
  payload jsonb NOT NULL,
  totals jsonb NOT NULL,
  buyer_tin text NOT NULL,
  -- Null unless the attempt has a parent.
  parent_type text,
  parent_reference_id text,
  parent_authority_uuid text,
  wire_bytes_max integer NOT NULL,
  submission_status text NOT NULL DEFAULT 'Queued',
  authority_status text,
  version integer NOT NULL DEFAULT 1,
  held_until timestamptz,
  due_at timestamptz NOT NULL,
  refusals integer NOT NULL DEFAULT 0,
  call_size_max integer NOT NULL DEFAULT 100,
  authority_submission_id uuid,
  authority_uuid text,
  authority_long_id text,
  errors jsonb NOT NULL DEFAULT '[]',
  issued_at timestamptz,
  submitted_at timestamptz,
  validated_at timestamptz,
  cancelled_at timestamptz,
  rejection_requested_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- The value of the header `onbehalfof` of every authority call for the attempt.
  on_behalf_of text NOT NULL,
  payload_version integer NOT NULL DEFAULT 1,
  -- Whether the authority has confirmed authority_uuid.
  uuid_confirmed boolean NOT NULL DEFAULT false,
  CONSTRAINT pk_document_transaction PRIMARY KEY (tenant_id, id),
  CONSTRAINT uq_document_transaction_attempt UNIQUE (tenant_id, document_id, attempt),
  CONSTRAINT uq_document_transaction_position UNIQUE (tenant_id, submission_batch_id, position),
  CONSTRAINT fk_document_transaction_batch FOREIGN KEY (tenant_id, submission_batch_id)
    REFERENCES submission_batch (tenant_id, id),
  CONSTRAINT fk_document_transaction_document FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id),
  CONSTRAINT fk_document_transaction_submission FOREIGN KEY (tenant_id, authority_submission_id)
    REFERENCES authority_submission (tenant_id, id),
  CONSTRAINT ck_document_transaction_authority_status
    CHECK (authority_status IN ('Submitted', 'Valid', 'Invalid', 'Cancelled')),
  CONSTRAINT ck_document_transaction_submission_status
    CHECK (submission_status IN ('Queued', 'Processing', 'Submitted', 'SubmitFailed'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, toast_tuple_target = 4080);
CREATE INDEX ix_document_transaction_queue ON document_transaction (tenant_id, environment, due_at, id)
  WHERE submission_status = 'Queued' AND held_until IS NULL;
CREATE INDEX ix_document_transaction_held ON document_transaction (tenant_id, environment, parent_reference_id)
  WHERE submission_status = 'Queued' AND held_until IS NOT NULL;
CREATE INDEX ix_document_transaction_submission ON document_transaction (tenant_id, authority_submission_id)
  WHERE authority_submission_id IS NOT NULL;
CREATE INDEX ix_document_transaction_parent ON document_transaction (tenant_id, environment, parent_authority_uuid)
  WHERE parent_reference_id IS NOT NULL;
CREATE INDEX ix_document_transaction_buyer ON document_transaction (tenant_id, environment, buyer_tin, id);
-- The dashboard's list: each combination of type and status is one index range, newest last. CASE instead of coalesce,
-- which counts as leaky under row-level security and would prevent the index lookup. INCLUDE allows index-only counts.
CREATE INDEX ix_document_transaction_list ON document_transaction (tenant_id, environment, document_type,
  (CASE WHEN authority_status IS NULL THEN submission_status ELSE authority_status END), id)
  INCLUDE (authority_status, submission_status);
CREATE UNIQUE INDEX uq_document_transaction_authority_uuid ON document_transaction (authority_uuid, environment)
  WHERE authority_uuid IS NOT NULL;
SELECT pg_temp.isolate('document_transaction');
CREATE POLICY dispatcher ON document_transaction TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON document_transaction TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON document_transaction TO einvoice_app;
GRANT SELECT, UPDATE ON document_transaction TO einvoice_dispatcher;
GRANT SELECT (tenant_id, id, environment, document_id, submission_batch_id, position, attempt, document_type,
    reference_id, submission_status, authority_status, version, held_until, due_at, refusals, call_size_max,
    authority_submission_id, authority_uuid, authority_long_id, errors, issued_at, submitted_at, validated_at,
    cancelled_at, rejection_requested_at, created_at, updated_at, on_behalf_of, uuid_confirmed),
  UPDATE (submission_status, authority_status, version, due_at, refusals, call_size_max, authority_submission_id,
    authority_uuid, authority_long_id, errors, issued_at, submitted_at, validated_at, cancelled_at,
    rejection_requested_at, updated_at, uuid_confirmed)
  ON document_transaction TO einvoice_operator;

CREATE TABLE authority_document (
  tenant_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  bytes bytea NOT NULL,
  sha256 text NOT NULL,
  issued_at timestamptz NOT NULL,
  version text NOT NULL,
  may_have_arrived boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  environment text NOT NULL,
  supplier_tin text NOT NULL,
  document_type text NOT NULL,
  reference_id text NOT NULL,
  response_lost boolean NOT NULL DEFAULT false,
  -- A refusal of a resent document is kept until lookups have decided whether an earlier send arrived.
  refused_at timestamptz,
  refusal jsonb,
  -- When the authority showed a document that may be this attempt. The attempt is then never sent again.
  shown_at timestamptz,
  CONSTRAINT pk_authority_document PRIMARY KEY (tenant_id, transaction_id),
  CONSTRAINT fk_authority_document_transaction FOREIGN KEY (tenant_id, transaction_id)
    REFERENCES document_transaction (tenant_id, id)
);
-- Stored out of line without compression, which would double the cost of the insert.
ALTER TABLE authority_document ALTER COLUMN bytes SET STORAGE EXTERNAL;
-- The authority identifies a document by type, number, supplier TIN and issue time, whichever tenant submits it.
CREATE UNIQUE INDEX uq_authority_document_identity
  ON authority_document (reference_id, supplier_tin, document_type, environment, issued_at);
SELECT pg_temp.isolate('authority_document');
CREATE POLICY dispatcher ON authority_document TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON authority_document TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON authority_document TO einvoice_app;
GRANT SELECT, INSERT, UPDATE ON authority_document TO einvoice_dispatcher;
GRANT SELECT (tenant_id, transaction_id, issued_at, environment, supplier_tin, document_type, reference_id),
  UPDATE (may_have_arrived, response_lost)
  ON authority_document TO einvoice_operator;

CREATE TABLE status_event (
  tenant_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  version integer NOT NULL,
  at timestamptz NOT NULL,
  from_state text NOT NULL,
  to_state text NOT NULL,
  cause text NOT NULL,
  correlation_id text,
  CONSTRAINT pk_status_event PRIMARY KEY (tenant_id, transaction_id, version)
);
SELECT pg_temp.isolate('status_event');
CREATE POLICY dispatcher ON status_event TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON status_event TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON status_event TO einvoice_app;
GRANT SELECT, INSERT ON status_event TO einvoice_dispatcher;
GRANT INSERT ON status_event TO einvoice_operator;

CREATE TRIGGER status_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON status_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE document_cancellation (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  environment text NOT NULL,
  document_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  reason text NOT NULL,
  status text NOT NULL DEFAULT 'Queued',
  deadline_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  owner uuid,
  sends integer NOT NULL DEFAULT 0,
  errors jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  api_key_id uuid,
  user_id uuid,
  CONSTRAINT pk_document_cancellation PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_document_cancellation_transaction FOREIGN KEY (tenant_id, transaction_id)
    REFERENCES document_transaction (tenant_id, id),
  CONSTRAINT ck_document_cancellation_actor CHECK (api_key_id IS NULL OR user_id IS NULL),
  CONSTRAINT ck_document_cancellation_status CHECK (status IN ('Queued', 'Processing', 'Completed', 'Failed'))
);
CREATE INDEX ix_document_cancellation_transaction ON document_cancellation (tenant_id, transaction_id, id);
CREATE INDEX ix_document_cancellation_open ON document_cancellation (deadline_at)
  WHERE status IN ('Queued', 'Processing');
CREATE INDEX ix_document_cancellation_key ON document_cancellation (tenant_id, environment, api_key_id, id)
  WHERE api_key_id IS NOT NULL;
SELECT pg_temp.isolate('document_cancellation');
CREATE POLICY dispatcher ON document_cancellation TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON document_cancellation TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON document_cancellation TO einvoice_app;
GRANT SELECT, UPDATE ON document_cancellation TO einvoice_dispatcher;
GRANT SELECT (tenant_id, id, environment, transaction_id, status, created_at),
  UPDATE (status, owner, errors, updated_at)
  ON document_cancellation TO einvoice_operator;

-- Document events

CREATE TABLE event_consumer (
  name text NOT NULL,
  registered_at timestamptz NOT NULL,
  CONSTRAINT pk_event_consumer PRIMARY KEY (name)
);
GRANT SELECT ON event_consumer TO einvoice_app, einvoice_operator;
GRANT SELECT, INSERT ON event_consumer TO einvoice_dispatcher;

-- The sequence numbers the events: an event has one id for all consumers.
CREATE SEQUENCE document_event_id;
GRANT USAGE ON SEQUENCE document_event_id TO einvoice_app, einvoice_dispatcher, einvoice_operator;

CREATE TABLE event_delivery (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  document_id uuid NOT NULL,
  event_id bigint NOT NULL,
  transaction_id uuid NOT NULL,
  version integer,
  cancellation_id uuid,
  from_status text,
  to_status text,
  at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  owner uuid,
  error text,
  dead_at timestamptz,
  CONSTRAINT pk_event_delivery PRIMARY KEY (tenant_id, consumer, document_id, event_id),
  CONSTRAINT ck_event_delivery_source CHECK ((version IS NULL) <> (cancellation_id IS NULL))
);
CREATE INDEX ix_event_delivery_due ON event_delivery (consumer, due_at);
CREATE INDEX ix_event_delivery_dead ON event_delivery (consumer) WHERE dead_at IS NOT NULL;
SELECT pg_temp.isolate('event_delivery');
CREATE POLICY dispatcher ON event_delivery TO einvoice_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY operator ON event_delivery TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON event_delivery TO einvoice_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON event_delivery TO einvoice_dispatcher;
GRANT SELECT (tenant_id, consumer, document_id, event_id, transaction_id, attempts, error, dead_at),
  INSERT,
  UPDATE (attempts, due_at, dead_at)
  ON event_delivery TO einvoice_operator;

-- Each change of an attempt or a cancellation inserts a delivery per registered consumer. Because a change holds the
-- lock of its row, the events of one attempt or cancellation are in the order of their commits.
CREATE FUNCTION deliver_acceptance() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM event_consumer) THEN
    RETURN NULL;
  END IF;
  WITH event AS MATERIALIZED (
    SELECT nextval('document_event_id') AS id, tenant_id, document_id, id AS transaction_id, version, created_at AS at
      FROM added)
  INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, due_at)
  SELECT e.tenant_id, c.name, e.document_id, e.id, e.transaction_id, e.version, e.at, e.at
    FROM event e CROSS JOIN event_consumer c;
  RETURN NULL;
END $$;
CREATE TRIGGER deliver_acceptance AFTER INSERT ON document_transaction
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_acceptance();

-- Looks up each document separately: with a join, the planner might read all attempts.
CREATE FUNCTION deliver_status_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM event_consumer) THEN
    RETURN NULL;
  END IF;
  WITH event AS MATERIALIZED (
    SELECT nextval('document_event_id') AS id, a.tenant_id, t.document_id, a.transaction_id, a.version, a.at
      FROM added a
     CROSS JOIN LATERAL (
       SELECT document_id FROM document_transaction WHERE tenant_id = a.tenant_id AND id = a.transaction_id OFFSET 0) t)
  INSERT INTO event_delivery (tenant_id, consumer, document_id, event_id, transaction_id, version, at, due_at)
  SELECT e.tenant_id, c.name, e.document_id, e.id, e.transaction_id, e.version, e.at, e.at
    FROM event e CROSS JOIN event_consumer c;
  RETURN NULL;
END $$;
CREATE TRIGGER deliver_status_change AFTER INSERT ON status_event
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_status_change();

-- A cancellation has no history, so its delivery contains the change.
CREATE FUNCTION deliver_cancellation() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM event_consumer) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    WITH event AS MATERIALIZED (
      SELECT nextval('document_event_id') AS event_id, tenant_id, document_id, transaction_id, id, status, updated_at
        FROM added)
    INSERT INTO event_delivery
      (tenant_id, consumer, document_id, event_id, transaction_id, cancellation_id, to_status, at, due_at)
    SELECT e.tenant_id, c.name, e.document_id, e.event_id, e.transaction_id, e.id, e.status, e.updated_at, e.updated_at
      FROM event e CROSS JOIN event_consumer c;
  ELSE
    WITH event AS MATERIALIZED (
      SELECT nextval('document_event_id') AS event_id, a.tenant_id, a.document_id, a.transaction_id, a.id,
             b.status AS from_status, a.status, a.updated_at
        FROM added a JOIN before b ON b.tenant_id = a.tenant_id AND b.id = a.id WHERE b.status <> a.status)
    INSERT INTO event_delivery
      (tenant_id, consumer, document_id, event_id, transaction_id, cancellation_id, from_status, to_status, at, due_at)
    SELECT e.tenant_id, c.name, e.document_id, e.event_id, e.transaction_id, e.id, e.from_status, e.status,
           e.updated_at, e.updated_at
      FROM event e CROSS JOIN event_consumer c;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliver_cancellation AFTER INSERT ON document_cancellation
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_cancellation();
CREATE TRIGGER deliver_cancellation_change AFTER UPDATE ON document_cancellation
  REFERENCING OLD TABLE AS before NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deliver_cancellation();

-- Failed documents

CREATE TABLE failed_document (
  tenant_id uuid NOT NULL,
  document_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  environment text NOT NULL,
  cause text NOT NULL,
  dismissed_at timestamptz,
  dismissed_by uuid,
  dismissal_reason text,
  CONSTRAINT pk_failed_document PRIMARY KEY (tenant_id, document_id),
  CONSTRAINT fk_failed_document_document FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id),
  CONSTRAINT ck_failed_document_dismissal CHECK (num_nulls(dismissed_at, dismissed_by, dismissal_reason) IN (0, 3))
);
CREATE INDEX ix_failed_document_open ON failed_document (tenant_id, environment, transaction_id)
  WHERE dismissed_at IS NULL;
CREATE INDEX ix_failed_document_cause ON failed_document (tenant_id, environment, cause, transaction_id)
  WHERE dismissed_at IS NULL;
CREATE INDEX ix_failed_document_dismissed ON failed_document (tenant_id, environment, transaction_id)
  WHERE dismissed_at IS NOT NULL;
SELECT pg_temp.isolate('failed_document');
GRANT SELECT, UPDATE (dismissed_at, dismissed_by, dismissal_reason) ON failed_document TO einvoice_app;

-- The cause consists of code and field, without the positions of documents and lines. An error about the supplier
-- has no pointer; its field is the label in its hint, as in `code_not_in_list:profile/State`. Truncates the cause, because the authority's codes can be of any length and index rows must stay short. Errors stored after the status
-- only update an existing row because the document may have been submitted again. Runs as the owner, so that no role
-- can write the table.
CREATE FUNCTION record_failure() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_field text := coalesce(
    ':' || regexp_replace(regexp_replace(NEW.errors#>>'{0,pointer}', '^/documents/\d+', ''), '/\d+(?=/|$)', '/*', 'g'),
    ':profile/' || substring(NEW.errors#>>'{0,hint}' FROM '^Correct "([^"]+)" in the organisation''s profile '), '');
  v_cause text := left(coalesce(NEW.errors#>>'{0,code}', 'unknown') || v_field, 300);
BEGIN
  IF OLD.authority_status = 'Invalid' OR OLD.submission_status = 'SubmitFailed' THEN
    UPDATE failed_document SET cause = v_cause
     WHERE tenant_id = NEW.tenant_id AND document_id = NEW.document_id AND transaction_id = NEW.id;
  ELSE
    INSERT INTO failed_document (tenant_id, document_id, transaction_id, environment, cause)
    VALUES (NEW.tenant_id, NEW.document_id, NEW.id, NEW.environment, v_cause)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION record_failure FROM PUBLIC;
CREATE TRIGGER record_failure AFTER UPDATE ON document_transaction FOR EACH ROW
  WHEN (NEW.authority_status = 'Invalid' OR NEW.submission_status = 'SubmitFailed') EXECUTE FUNCTION record_failure();

CREATE FUNCTION forget_failure() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM failed_document WHERE tenant_id = NEW.tenant_id AND document_id = NEW.document_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION forget_failure FROM PUBLIC;
CREATE TRIGGER forget_failure AFTER INSERT ON document_transaction FOR EACH ROW
  WHEN (NEW.attempt > 1) EXECUTE FUNCTION forget_failure();

-- Buyers of the search

CREATE TABLE buyer (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  tin text COLLATE "C" NOT NULL,
  name text NOT NULL,
  -- Normalised words of the name, for searches.
  name_key text COLLATE "C" NOT NULL,
  CONSTRAINT pk_buyer PRIMARY KEY (tenant_id, environment, tin, name)
);
SELECT pg_temp.isolate('buyer');
GRANT SELECT, INSERT ON buyer TO einvoice_app;

CREATE TABLE buyer_word (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  word text COLLATE "C" NOT NULL,
  tin text COLLATE "C" NOT NULL,
  CONSTRAINT pk_buyer_word PRIMARY KEY (tenant_id, environment, word, tin)
);
SELECT pg_temp.isolate('buyer_word');
GRANT SELECT, INSERT ON buyer_word TO einvoice_app;

-- Bulk jobs

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
  -- Time of the job's last turn; organisations take turns.
  served_at timestamptz,
  CONSTRAINT pk_bulk_job PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_bulk_job_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT ck_bulk_job_kind CHECK (kind = 'correct' AND field IS NOT NULL OR kind = 'cancel' AND field IS NULL),
  CONSTRAINT ck_bulk_job_paused CHECK ((status = 'paused') = (pause_reason IS NOT NULL)),
  CONSTRAINT ck_bulk_job_status CHECK (status IN ('checking', 'checked', 'running', 'paused', 'ended'))
);
CREATE INDEX ix_bulk_job_list ON bulk_job (tenant_id, environment, id);
CREATE INDEX ix_bulk_job_due ON bulk_job (due_at) WHERE status IN ('checking', 'running');
CREATE INDEX ix_bulk_job_served ON bulk_job (tenant_id, served_at);
SELECT pg_temp.isolate('bulk_job');
GRANT SELECT, INSERT, UPDATE (status, pause_reason, user_id, started_at, ended_at, due_at, lease_owner), DELETE
  ON bulk_job TO einvoice_app;

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
  CONSTRAINT fk_bulk_job_item_job FOREIGN KEY (tenant_id, job_id) REFERENCES bulk_job (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_bulk_job_item_state CHECK (state IN ('waiting', 'ready', 'refused', 'done', 'changed', 'failed'))
);
CREATE INDEX ix_bulk_job_item_open ON bulk_job_item (tenant_id, job_id, state, transaction_id)
  WHERE state IN ('waiting', 'ready');
SELECT pg_temp.isolate('bulk_job_item');
GRANT SELECT, INSERT, UPDATE (state, body, credits, problems, result_id, tries) ON bulk_job_item TO einvoice_app;

-- Recovery after a restore

-- The server that the service works on.
CREATE TABLE database_server (
  id integer NOT NULL DEFAULT 1,
  system_identifier text NOT NULL,
  timeline text NOT NULL,
  seen_at timestamptz NOT NULL,
  CONSTRAINT pk_database_server PRIMARY KEY (id),
  CONSTRAINT ck_database_server_one CHECK (id = 1)
);
INSERT INTO database_server (system_identifier, timeline, seen_at)
SELECT system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8), clock_timestamp()
  FROM pg_control_system();
GRANT SELECT ON database_server TO einvoice_dispatcher;

CREATE TABLE recovery (
  id uuid NOT NULL,
  since timestamptz NOT NULL,
  began_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT pk_recovery PRIMARY KEY (id)
);
CREATE UNIQUE INDEX uq_recovery_open ON recovery ((ended_at IS NULL)) WHERE ended_at IS NULL;
GRANT SELECT ON recovery TO einvoice_dispatcher;

CREATE TABLE recovery_tenant (
  recovery_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  searched_at timestamptz,
  released_at timestamptz,
  CONSTRAINT pk_recovery_tenant PRIMARY KEY (recovery_id, tenant_id),
  CONSTRAINT fk_recovery_tenant_recovery FOREIGN KEY (recovery_id) REFERENCES recovery (id)
);
SELECT pg_temp.isolate('recovery_tenant');
CREATE POLICY dispatcher ON recovery_tenant TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT ON recovery_tenant TO einvoice_dispatcher;

-- Documents that the authority has and the restored database does not.
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
SELECT pg_temp.isolate('found_document');
CREATE POLICY dispatcher ON found_document TO einvoice_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (authority_status, state) ON found_document TO einvoice_dispatcher;

-- Processes

CREATE TABLE service_process (
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
GRANT SELECT, INSERT, UPDATE, DELETE ON service_process TO einvoice_app, einvoice_dispatcher;

CREATE TABLE housekeeping_task (
  name text NOT NULL,
  last_run_at timestamptz NOT NULL,
  CONSTRAINT pk_housekeeping_task PRIMARY KEY (name)
);
GRANT SELECT, INSERT, UPDATE ON housekeeping_task TO einvoice_dispatcher;
GRANT SELECT ON housekeeping_task TO einvoice_operator;

-- Unlogged, like authority_share.
CREATE UNLOGGED TABLE rate_limit_window (
  bucket text NOT NULL,
  started_at timestamptz NOT NULL,
  total integer NOT NULL,
  CONSTRAINT pk_rate_limit_window PRIMARY KEY (bucket)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE (started_at, total) ON rate_limit_window TO einvoice_app;
GRANT SELECT (bucket, started_at), DELETE ON rate_limit_window TO einvoice_dispatcher;

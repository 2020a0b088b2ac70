/**
 * The dashboard's tables: users, their sessions and memberships, invitations, orders of credits, checks of
 * appointments, the audit log.
 */
export const INITIAL_ACCOUNTS = /* sql */ `
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

CREATE TABLE sign_in_throttle (
  subject text NOT NULL,
  tries integer NOT NULL,
  blocked_until timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT pk_sign_in_throttle PRIMARY KEY (subject)
);

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

-- No foreign key to the lot: it would be a trigger on the lots, which every accepted call changes.
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
  CONSTRAINT pk_credit_order PRIMARY KEY (tenant_id, id),
  CONSTRAINT fk_credit_order_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT fk_credit_order_requester FOREIGN KEY (requested_by) REFERENCES user_account (id),
  CONSTRAINT fk_credit_order_decider FOREIGN KEY (decided_by) REFERENCES user_account (id),
  CONSTRAINT ck_credit_order_status CHECK (status IN ('Requested', 'Paid', 'Refused', 'Cancelled')),
  CONSTRAINT ck_credit_order_lot CHECK ((status = 'Paid') = (lot_id IS NOT NULL)),
  CONSTRAINT ck_credit_order_credits CHECK (credits > 0)
);
CREATE INDEX ix_credit_order_requested ON credit_order (requested_at) WHERE status = 'Requested';

CREATE TABLE appointment_check (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  on_behalf_of text NOT NULL,
  is_appointed boolean NOT NULL,
  authority_message text,
  checked_at timestamptz NOT NULL,
  CONSTRAINT pk_appointment_check PRIMARY KEY (tenant_id, environment),
  CONSTRAINT fk_appointment_check_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
);

-- What belongs to no organisation, such as a sign-in, stands under the nil UUID: hence no foreign key to tenant.
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
`;

/**
 * What the dashboard asks before it knows the organisation: each takes a secret or a user, and gives their own rows.
 */
export const INITIAL_ACCOUNT_FUNCTIONS = /* sql */ `
-- Null as the role: the user is no member of that organisation, or none was named.
CREATE FUNCTION find_session(p_digest bytea, p_tenant_id uuid, p_idle_seconds integer)
RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, is_operator boolean, role text,
               last_seen_at timestamptz, expires_at timestamptz, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.id, u.id, u.email, u.name, u.is_operator, m.role, s.last_seen_at, s.expires_at, service_now()
    FROM user_session s
    JOIN user_account u ON u.id = s.user_id
    LEFT JOIN membership m ON m.user_id = u.id AND m.tenant_id = p_tenant_id
   WHERE s.digest = p_digest AND s.expires_at > service_now() AND u.disabled_at IS NULL
     AND s.last_seen_at > service_now() - make_interval(secs => p_idle_seconds)
$$;

-- Nobody who is disabled: they are answered as an address without an account.
CREATE FUNCTION find_password(p_email text)
RETURNS TABLE (user_id uuid, password_hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT u.id, u.password_hash FROM user_account u WHERE u.email = p_email AND u.disabled_at IS NULL
$$;

CREATE FUNCTION organisations_of(p_user_id uuid)
RETURNS TABLE (tenant_id uuid, name text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.tenant_id, t.name, m.role
    FROM membership m JOIN tenant t ON t.tenant_id = m.tenant_id
   WHERE m.user_id = p_user_id ORDER BY t.name, t.tenant_id
$$;

CREATE FUNCTION find_invitation(p_digest bytea)
RETURNS TABLE (tenant_id uuid, id uuid, organisation text, email text, role text, is_open boolean, has_account boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT i.tenant_id, i.id, t.name, i.email, i.role,
         i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > service_now(),
         EXISTS (SELECT FROM user_account u WHERE u.email = i.email)
    FROM invitation i JOIN tenant t ON t.tenant_id = i.tenant_id WHERE i.digest = p_digest
$$;

DO $$
DECLARE signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['find_session(bytea, uuid, integer)', 'find_password(text)', 'organisations_of(uuid)',
    'find_invitation(bytea)']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO einvoice_app', signature);
  END LOOP;
END $$;
`;

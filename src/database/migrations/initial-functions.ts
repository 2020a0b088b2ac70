/**
 * The SQL functions: the clock, the lookup of a key before its tenant is known, the read of a batch's status, the
 * charge. `D9` and `D12` in the frozen SQL are docs/rules.md#status-response and docs/rules.md#credits.
 */
export const INITIAL_FUNCTIONS = /* sql */ `
-- The one SQL clock. The offset is 0 but in tests, which move time instead of waiting for it. STABLE, so that a
-- comparison with it can use an index: within one statement the first reading counts.
CREATE FUNCTION service_now() RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN clock_timestamp() + make_interval(secs => (SELECT offset_seconds FROM service_clock));
END $$;

-- Runs as its owner, since a caller's tenant is not known before its key is: takes a digest, gives at most one row.
CREATE FUNCTION find_api_key(p_digest bytea)
RETURNS TABLE (tenant_id uuid, key_id uuid, environment text, expires_at timestamptz, revoked_at timestamptz,
               last_used_at timestamptz, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.tenant_id, k.id, k.environment, k.expires_at, k.revoked_at, k.last_used_at, service_now()
    FROM api_key k WHERE k.digest = p_digest LIMIT 1
$$;
REVOKE ALL ON FUNCTION find_api_key(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(bytea) TO einvoice_app;

-- One round trip sets the tenant and reads the batch (D9): a row per document, in the order of submission.
CREATE FUNCTION read_submission_status(p_tenant_id uuid, p_environment text, p_batch_id uuid, p_client_id text)
RETURNS TABLE (
  now timestamptz, submission_type text, batch_created_at timestamptz,
  document_id uuid, transaction_id uuid, document_type text, reference_id text,
  submission_status text, authority_status text, authority_uuid text, authority_submission_uid text,
  authority_long_id text, totals jsonb, errors jsonb, version integer, due_at timestamptz,
  issued_at timestamptz, submitted_at timestamptz, validated_at timestamptz, cancelled_at timestamptz,
  rejection_requested_at timestamptz, held_until timestamptz, parent_reference_id text, created_at timestamptz,
  updated_at timestamptz,
  cancellation_id uuid, cancellation_status text, cancellation_reason text, cancellation_errors jsonb,
  cancellation_requested_at timestamptz, cancellation_updated_at timestamptz,
  in_doubt_since timestamptz, lane_blocked_reason text, lane_blocked_since timestamptz,
  pace_blocked_reason text, pace_blocked_since timestamptz)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE v_now timestamptz := service_now();
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  RETURN QUERY
  SELECT v_now, b.submission_type, b.created_at,
         t.document_id, t.id, t.document_type, t.reference_id,
         t.submission_status, t.authority_status, t.authority_uuid, s.submission_uid,
         t.authority_long_id, t.totals, t.errors, t.version, t.due_at,
         t.issued_at, t.submitted_at, t.validated_at, t.cancelled_at, t.rejection_requested_at,
         t.held_until, t.parent_reference_id, t.created_at, t.updated_at,
         c.id, c.status, c.reason, c.errors, c.created_at, c.updated_at,
         CASE WHEN s.state = 'unknown' THEN s.updated_at END,
         l.blocked_reason, l.blocked_since, p.blocked_reason, p.blocked_since
    FROM submission_batch b
    JOIN document_transaction t ON t.tenant_id = b.tenant_id AND t.submission_batch_id = b.id
    LEFT JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
    LEFT JOIN LATERAL (
      SELECT x.* FROM document_cancellation x
       WHERE x.tenant_id = t.tenant_id AND x.transaction_id = t.id ORDER BY x.id DESC LIMIT 1) c ON true
    LEFT JOIN dispatch_lane l ON l.tenant_id = b.tenant_id AND l.environment = b.environment
     AND l.operation = 'submit' AND l.blocked_until > v_now
    LEFT JOIN authority_pace p ON p.client_id = p_client_id AND p.environment = b.environment AND p.api = 'submit'
     AND (p.blocked_until > v_now OR p.failures >= 5)
   WHERE b.tenant_id = p_tenant_id AND b.id = p_batch_id AND b.environment = p_environment
   ORDER BY t.position;
END $$;
REVOKE ALL ON FUNCTION read_submission_status(uuid, text, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_submission_status(uuid, text, uuid, text) TO einvoice_app;

-- What readiness tells without a key: figures over all tenants that name none of them, hence run as the owner.
CREATE FUNCTION oldest_queued_seconds() RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT extract(epoch FROM service_now() - min(t.created_at))::double precision
    FROM document_transaction t WHERE t.submission_status = 'Queued' AND t.held_until IS NULL
$$;
CREATE FUNCTION applied_migrations() RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT array_agg(m.name::text) FROM schema_migration m
$$;
REVOKE ALL ON FUNCTION oldest_queued_seconds(), applied_migrations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION oldest_queued_seconds(), applied_migrations() TO einvoice_app, einvoice_dispatcher;

-- Spends credits of a tenant, the earliest to expire first, as the last step of an accepted call (D12).
-- A function and not a statement, since each statement in it sees what was committed when it began: the lots are read
-- after the account's lock was got, which a single statement could not do. Whoever changes a lot holds that lock.
-- The clock is read under the lock too, so that entries are in the order of their times: what has expired when the lock
-- is got cannot be spent, however long the call has waited for it (docs/decisions/0046).
-- Returns what is left; below zero it is what was lacking, and nothing was done.
CREATE FUNCTION charge_credits(
  p_tenant_id uuid, p_credits integer, p_environment text, p_kind text, p_cause_id uuid)
RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_balance integer;
  v_sequence integer;
  v_spendable integer;
  v_due integer := p_credits;
  v_taken integer;
  v_lot record;
BEGIN
  SELECT balance, entry_sequence INTO v_balance, v_sequence
    FROM credit_account WHERE tenant_id = p_tenant_id FOR UPDATE;
  v_now := service_now();
  SELECT coalesce(sum(remaining), 0) INTO v_spendable
    FROM credit_lot WHERE tenant_id = p_tenant_id AND remaining > 0 AND expires_at > v_now;
  IF v_spendable < p_credits THEN
    RETURN v_spendable - p_credits;
  END IF;
  -- Expired lots come first in the order, so all of them are swept before the first credit is taken.
  FOR v_lot IN
    SELECT id, remaining, expires_at <= v_now AS is_expired
      FROM credit_lot WHERE tenant_id = p_tenant_id AND remaining > 0 ORDER BY expires_at, id
  LOOP
    EXIT WHEN v_due = 0;
    IF v_lot.is_expired THEN
      v_taken := v_lot.remaining;
      v_sequence := v_sequence + 1;
      v_balance := v_balance - v_taken;
      INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, cause_id, created_at)
      VALUES (p_tenant_id, v_sequence, 'expire', -v_taken, v_balance, v_lot.id, v_now);
    ELSE
      v_taken := least(v_lot.remaining, v_due);
      v_due := v_due - v_taken;
    END IF;
    UPDATE credit_lot SET remaining = remaining - v_taken WHERE tenant_id = p_tenant_id AND id = v_lot.id;
  END LOOP;
  v_sequence := v_sequence + 1;
  v_balance := v_balance - p_credits;
  INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
  VALUES (p_tenant_id, v_sequence, p_kind, -p_credits, v_balance, p_environment, p_cause_id, v_now);
  UPDATE credit_account SET balance = v_balance, entry_sequence = v_sequence WHERE tenant_id = p_tenant_id;
  RETURN v_spendable - p_credits;
END $$;
REVOKE ALL ON FUNCTION charge_credits(uuid, integer, text, text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION charge_credits(uuid, integer, text, text, uuid) TO einvoice_app;
`;

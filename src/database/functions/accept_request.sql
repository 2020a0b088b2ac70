-- Accepts a submit or a cancel that has been decided, all of it or nothing (docs/rules.md#order-of-checks,
-- docs/rules.md#idempotency): locks the idempotency key, reads the stored response again, writes the rows, stores the
-- response, charges, and confirms the caller's access. One statement is one database transaction, so no lock outlives
-- it. The account, whose row all requests of the tenant lock, comes late, and confirm_access last, when no lock can
-- delay the commit any more. If is_locked is false, another request with this key is running; if there is a response,
-- another request has stored it. In both cases nothing is written. The read is a statement of its own after the lock,
-- so it sees what the lock's previous owner has committed. Raises EI402, with the spendable credits as its detail, when
-- the credits do not suffice.
CREATE OR REPLACE FUNCTION accept_request(
  p_tenant_id uuid, p_environment text, p_operation text, p_key text, p_body_hash bytea, p_status integer,
  p_response text, p_now timestamptz, p_credits integer, p_cause_id uuid, p_precondition jsonb, p_writes jsonb,
  p_access jsonb)
RETURNS TABLE (is_locked boolean, body_hash bytea, response_status integer, response text, credits_left integer)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  -- An assignment is evaluated in place; PERFORM would be a statement of its own.
  v_tenant_id text := set_config('app.tenant_id', p_tenant_id::text, true);
BEGIN
  is_locked := pg_try_advisory_xact_lock(
    hashtextextended(p_tenant_id || '|' || p_environment || '|' || p_operation || '|' || p_key, 0));
  SELECT r.body_hash, r.response_status, r.response INTO body_hash, response_status, response
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = p_operation AND r.key = p_key;
  IF is_locked AND response IS NULL THEN
    IF p_operation = 'submit' THEN
      PERFORM store_submission(p_tenant_id, p_environment, p_cause_id, p_now, p_precondition, p_writes);
    ELSE
      PERFORM store_cancellation(p_tenant_id, p_environment, p_cause_id, p_now, p_precondition, p_writes);
    END IF;
    INSERT INTO idempotency_record
      (tenant_id, environment, operation, key, body_hash, response_status, response, created_at)
    VALUES (p_tenant_id, p_environment, p_operation, p_key, p_body_hash, p_status, p_response, p_now);
    credits_left := charge_credits(p_tenant_id, p_credits, p_environment, p_operation, p_cause_id);
    IF credits_left < 0 THEN
      RAISE EXCEPTION 'The credits do not suffice' USING ERRCODE = 'EI402', DETAIL = credits_left + p_credits;
    END IF;
  END IF;
  PERFORM confirm_access(p_access);
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION accept_request FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accept_request TO einvoice_app;

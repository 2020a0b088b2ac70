-- Writes a decided submit or cancel in one database transaction (docs/rules.md#idempotency). Writes only if is_locked
-- is true and no response is returned: otherwise another request with this key is running or has stored its response.
-- The response is read in a separate statement after the lock, so that it is the one that the last lock owner
-- committed. Because all requests of a tenant lock its account, the charge comes late; confirm_access comes last.
-- Raises EI402 with the spendable credits as its detail if the credits do not suffice.
CREATE OR REPLACE FUNCTION accept_request(
  p_tenant_id uuid, p_environment text, p_operation text, p_key text, p_body_hash bytea, p_status integer,
  p_response text, p_now timestamptz, p_credits integer, p_cause_id uuid, p_precondition jsonb, p_writes jsonb,
  p_access jsonb)
RETURNS TABLE (is_locked boolean, body_hash bytea, response_status integer, response text, credits_left integer)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  -- An assignment avoids the extra statement of PERFORM.
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

-- Runs accept_call and then confirms that the caller still has access (confirm_access), in one statement and so in one
-- database transaction. The check comes last, when no lock can delay the commit any more.
CREATE OR REPLACE FUNCTION accept_request(
  p_tenant_id uuid, p_environment text, p_operation text, p_key text, p_body_hash bytea, p_status integer,
  p_response text, p_now timestamptz, p_credits integer, p_cause_id uuid, p_precondition jsonb, p_writes jsonb,
  p_access jsonb)
RETURNS TABLE (is_locked boolean, body_hash bytea, response_status integer, response text, credits_left integer)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  SELECT a.is_locked, a.body_hash, a.response_status, a.response, a.credits_left
    INTO is_locked, body_hash, response_status, response, credits_left
    FROM accept_call(p_tenant_id, p_environment, p_operation, p_key, p_body_hash, p_status, p_response, p_now,
                     p_credits, p_cause_id, p_precondition, p_writes) a;
  PERFORM confirm_access(p_access);
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION accept_request FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accept_request TO einvoice_app;

-- Raises EI401, with the refusal's code as the message, unless a request's access is still valid: {keyId, tenantId} for
-- an API key, or {userId} with optional sessionId, tenantId and roles, and isOperator. Locks user, membership and
-- session until the commit, so that a removal comes before this check or after the commit. Does not lock a key because
-- all its requests would write to one row. isExclusive makes the caller the only one that may end sessions of the user.
-- Runs as the owner because the callers' roles cannot lock these rows.
CREATE OR REPLACE FUNCTION confirm_access(p_access jsonb) RETURNS void
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_user_id uuid := (p_access->>'userId')::uuid;
  v_refusal text;
  v_is_operator boolean;
  v_role text;
BEGIN
  IF p_access ? 'keyId' THEN
    SELECT CASE WHEN revoked_at IS NOT NULL THEN 'api_key_revoked'
                WHEN expires_at <= service_now() THEN 'api_key_expired' ELSE '' END INTO v_refusal
      FROM api_key WHERE tenant_id = (p_access->>'tenantId')::uuid AND id = (p_access->>'keyId')::uuid;
    v_refusal := coalesce(v_refusal, 'api_key_invalid');
  ELSE
    IF p_access ? 'isExclusive' THEN
      PERFORM FROM user_account WHERE id = v_user_id FOR NO KEY UPDATE;
    END IF;
    -- Same lock order as the command that disables a user.
    SELECT is_operator INTO v_is_operator FROM user_account WHERE id = v_user_id AND disabled_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
      v_refusal := 'session_required';
    ELSIF p_access ? 'isOperator' AND NOT v_is_operator THEN
      v_refusal := 'operators_only';
    ELSIF p_access ? 'tenantId' THEN
      SELECT role INTO v_role FROM membership
       WHERE tenant_id = (p_access->>'tenantId')::uuid AND user_id = v_user_id FOR SHARE;
      IF NOT FOUND THEN
        v_refusal := 'organisation_not_found';
      ELSIF NOT p_access->'roles' ? v_role THEN
        v_refusal := 'role_too_low';
      END IF;
    END IF;
    IF p_access ? 'sessionId' THEN
      PERFORM FROM user_session
        WHERE id = (p_access->>'sessionId')::uuid AND user_id = v_user_id AND expires_at > service_now() FOR SHARE;
      IF NOT FOUND THEN
        v_refusal := 'session_required';
      END IF;
    END IF;
  END IF;
  IF v_refusal <> '' THEN
    RAISE EXCEPTION '%', v_refusal USING ERRCODE = 'EI401', DETAIL = coalesce(v_role, '');
  END IF;
END $$;

REVOKE ALL ON FUNCTION confirm_access FROM PUBLIC;
GRANT EXECUTE ON FUNCTION confirm_access TO einvoice_app, einvoice_operator;

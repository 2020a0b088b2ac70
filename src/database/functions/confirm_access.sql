-- Raises EI401 unless what a request was accepted with is still valid, with the code of the refusal as the message:
-- {keyId, tenantId} of an API key, or {userId} with any of sessionId, tenantId with the roles that suffice, and
-- isOperator. Users, memberships and sessions are locked until the database transaction ends, so a removal, a demotion
-- or a sign-out comes either before this check or after the commit. A key is not locked, because all its requests would
-- write to one row: it may be revoked in the milliseconds before the commit. With isExclusive, the database transaction
-- is also the only one that may end sessions of the user. The idle limits of find_session are not checked again. Runs as
-- the owner, because the callers' roles may not lock these rows.
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
    -- Locks rows in the same order as the command that disables a user, to avoid deadlocks.
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

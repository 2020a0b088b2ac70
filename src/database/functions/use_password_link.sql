-- Uses up a valid password link, sets the password and returns the user, or null. A second use waits for the lock on
-- the user and then finds no link. Runs as the owner because einvoice_app cannot update users.
CREATE OR REPLACE FUNCTION use_password_link(p_digest bytea, p_password_hash text) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_user_id uuid;
BEGIN
  SELECT u.id INTO v_user_id
    FROM password_link l JOIN user_account u ON u.id = l.user_id
   WHERE l.digest = p_digest AND u.disabled_at IS NULL FOR NO KEY UPDATE OF u;
  DELETE FROM password_link WHERE user_id = v_user_id AND digest = p_digest AND expires_at > service_now();
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE user_account SET password_hash = p_password_hash WHERE id = v_user_id;
  RETURN v_user_id;
END $$;

REVOKE ALL ON FUNCTION use_password_link FROM PUBLIC;
GRANT EXECUTE ON FUNCTION use_password_link TO einvoice_app;

-- Replaces a user's password if it is still the given one, and returns whether it did. Runs as the owner because
-- einvoice_app cannot update users.
CREATE OR REPLACE FUNCTION change_password(p_user_id uuid, p_password_hash text, p_next_hash text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE user_account SET password_hash = p_next_hash
   WHERE id = p_user_id AND password_hash = p_password_hash AND disabled_at IS NULL;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION change_password FROM PUBLIC;
GRANT EXECUTE ON FUNCTION change_password TO einvoice_app;

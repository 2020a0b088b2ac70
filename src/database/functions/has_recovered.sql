-- Returns whether any document can wait for a recovery. If not, a status query skips the check of each document.
CREATE OR REPLACE FUNCTION has_recovered() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM recovery WHERE ended_at IS NULL)
      OR EXISTS (SELECT FROM found_document WHERE state IN ('missing', 'disputed'))
$$;

REVOKE ALL ON FUNCTION has_recovered FROM PUBLIC;
GRANT EXECUTE ON FUNCTION has_recovered TO einvoice_app;

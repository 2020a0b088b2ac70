-- Whether this database was ever restored to an earlier time: without that, a status needs no look at what was found.
CREATE OR REPLACE FUNCTION has_recovered() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM recovery)
$$;

REVOKE ALL ON FUNCTION has_recovered FROM PUBLIC;
GRANT EXECUTE ON FUNCTION has_recovered TO einvoice_app;

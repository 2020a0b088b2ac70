-- Returns whether this is still the server and timeline that recognise_server stored. A promoted standby and a restored
-- server have a new timeline, a copy in another cluster has another identifier.
CREATE OR REPLACE FUNCTION is_known_server() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM database_server
     WHERE system_identifier = (SELECT c.system_identifier::text FROM pg_control_system() c)
       AND timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8))
$$;

REVOKE ALL ON FUNCTION is_known_server FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_known_server TO einvoice_dispatcher;

-- Which server this is: 'known', 'promoted' or 'restored', and remembers it. A new timeline without a recovery target is
-- a standby's promotion, which has lost nothing that was acknowledged; with a target, or in another cluster, it may be an
-- earlier state, and every tenant waits (docs/decisions/0109-a-restore-is-recognised.md).
CREATE OR REPLACE FUNCTION recognise_server() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  server database_server;
BEGIN
  IF is_known_server() THEN
    -- Nothing was sent before this instant that the database does not know: a search after a restore begins here.
    UPDATE database_server SET seen_at = service_now() WHERE seen_at < service_now() - interval '10 seconds';
    RETURN 'known';
  END IF;
  SELECT * INTO STRICT server FROM database_server FOR UPDATE;
  IF is_known_server() THEN
    RETURN 'known';
  END IF;
  IF server.system_identifier = (SELECT c.system_identifier::text FROM pg_control_system() c)
     AND NOT EXISTS (
       SELECT FROM pg_settings
        WHERE name IN ('recovery_target', 'recovery_target_lsn', 'recovery_target_name', 'recovery_target_time',
                       'recovery_target_xid')
          AND setting <> '')
  THEN
    UPDATE database_server SET timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8);
    RETURN 'promoted';
  END IF;
  PERFORM begin_recovery(NULL);
  RETURN 'restored';
END $$;

REVOKE ALL ON FUNCTION recognise_server FROM PUBLIC;
GRANT EXECUTE ON FUNCTION recognise_server TO einvoice_dispatcher;

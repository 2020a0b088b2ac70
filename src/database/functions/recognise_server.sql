-- Stores which server this is, and returns 'known', 'promoted' or 'restored'. A new timeline without a recovery target
-- is a promoted standby, which has lost no acknowledged commit. Otherwise the state may be older, so every tenant
-- waits (docs/decisions/0109-a-restore-is-recognised.md).
CREATE OR REPLACE FUNCTION recognise_server() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  server database_server;
BEGIN
  IF is_known_server() THEN
    -- A search after a restore starts at this time.
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

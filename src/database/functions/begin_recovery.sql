-- Begins a recovery, in which every tenant waits until it is released (docs/decisions/0109-a-restore-is-recognised.md).
-- Documents sent since p_since are searched for; null means since a dispatcher last recognised the server. All
-- unsettled calls count as calls whose response was lost. Extends an open recovery of this server and supersedes one
-- that was open before the restore.
CREATE OR REPLACE FUNCTION begin_recovery(p_since timestamptz) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  server database_server;
  was recovery;
  is_known boolean;
  began uuid;
BEGIN
  -- The row lock serialises recoveries. Claims do not lock this row.
  SELECT * INTO STRICT server FROM database_server FOR UPDATE;
  is_known := is_known_server();
  SELECT * INTO was FROM recovery WHERE ended_at IS NULL;
  IF was.id IS NOT NULL AND is_known THEN
    UPDATE recovery SET since = least(since, p_since), began_at = least(began_at, service_now()) WHERE id = was.id;
    RETURN was.id;
  END IF;
  UPDATE recovery SET ended_at = service_now() WHERE id = was.id;
  INSERT INTO recovery (id, since, began_at)
  VALUES (gen_random_uuid(), least(coalesce(p_since, server.seen_at), was.since), service_now())
  RETURNING id INTO began;
  UPDATE database_server
     SET system_identifier = (SELECT c.system_identifier::text FROM pg_control_system() c),
         timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8);
  UPDATE authority_document a SET response_lost = true
    FROM document_transaction t
   WHERE t.submission_status IN ('Queued', 'Processing') AND a.tenant_id = t.tenant_id AND a.transaction_id = t.id
     AND NOT a.response_lost;
  -- The call may have arrived, so the dispatcher reads the document before it sends the call.
  UPDATE document_cancellation SET sends = 1 WHERE status IN ('Queued', 'Processing') AND sends = 0;
  RETURN began;
END $$;

REVOKE ALL ON FUNCTION begin_recovery FROM PUBLIC;

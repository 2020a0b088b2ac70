-- Holds every tenant until it is released (docs/decisions/0109-a-restore-is-recognised.md). What was sent since p_since
-- is searched for; null: since a dispatcher last saw the server. The response to every call that was not settled then
-- counts as lost. A recovery that is open on this server goes on, and began no later than now; one that was open before the
-- restore is superseded.
CREATE OR REPLACE FUNCTION begin_recovery(p_since timestamptz) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  server database_server;
  was recovery;
  is_known boolean;
  began uuid;
BEGIN
  -- The lock of the row makes two of them one after the other; the claims do not take it.
  SELECT * INTO STRICT server FROM database_server FOR UPDATE;
  is_known := is_known_server();
  SELECT * INTO was FROM recovery WHERE ended_at IS NULL;
  IF was.id IS NOT NULL AND is_known THEN
    UPDATE recovery SET since = least(since, p_since), began_at = least(began_at, service_now()) WHERE id = was.id;
    RETURN was.id;
  END IF;
  UPDATE recovery SET ended_at = service_now() WHERE id = was.id;
  INSERT INTO recovery (id, since, began_at)
  VALUES (gen_random_uuid(), least(coalesce(p_since, server.seen_at), was.since), service_now()) RETURNING id INTO began;
  UPDATE database_server
     SET system_identifier = (SELECT c.system_identifier::text FROM pg_control_system() c),
         timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8);
  UPDATE authority_document a SET response_lost = true
    FROM document_transaction t
   WHERE t.submission_status IN ('Queued', 'Processing') AND a.tenant_id = t.tenant_id AND a.transaction_id = t.id
     AND NOT a.response_lost;
  -- Its call may have arrived: the dispatcher reads the document before it repeats it.
  UPDATE document_cancellation SET sends = 1 WHERE status IN ('Queued', 'Processing') AND sends = 0;
  RETURN began;
END $$;

REVOKE ALL ON FUNCTION begin_recovery FROM PUBLIC;

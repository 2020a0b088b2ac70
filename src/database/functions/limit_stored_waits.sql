-- Shortens stored waits that are longer than the service ever sets, and returns them: they were stored while the clock
-- was ahead, and would stop the service until that time comes again. p_longest has the maximum seconds per kind of
-- wait, p_calls per API of the authority. A minute of tolerance covers writes during the run. Locked rows are skipped
-- until the next run. Send times are kept because the clock may have been set back only briefly. Runs as the owner
-- because no other role can update all of these tables.
CREATE OR REPLACE FUNCTION limit_stored_waits(p_longest jsonb, p_calls jsonb)
RETURNS TABLE (kind text, waits integer, longest_seconds double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_rows CONSTANT integer := 1000;
  v_now CONSTANT timestamptz := service_now();
  v_late CONSTANT timestamptz := v_now + interval '1 minute';
  v_lease CONSTANT interval := make_interval(secs => (p_longest->>'lease')::float8);
  v_doubt CONSTANT interval := make_interval(secs => (p_longest->>'doubt')::float8);
  v_poll CONSTANT interval := make_interval(secs => (p_longest->>'poll')::float8);
  v_watch CONSTANT interval := make_interval(secs => (p_longest->>'watch')::float8);
  v_login CONSTANT interval := make_interval(secs => (p_longest->>'login')::float8);
  v_document CONSTANT interval := make_interval(secs => (p_longest->>'document')::float8);
  v_event CONSTANT interval := make_interval(secs => (p_longest->>'event')::float8);
  v_retry_after CONSTANT interval := make_interval(secs => (p_longest->>'retryAfter')::float8);
  v_resend CONSTANT interval := make_interval(secs => (p_longest->>'resend')::float8);
  v_resend_pause CONSTANT interval := make_interval(secs => (p_longest->>'resendPause')::float8);
  v_sign_in CONSTANT interval := make_interval(secs => (p_longest->>'signIn')::float8);
BEGIN
  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT p.client_id, p.environment, p.api, greatest(p.next_at, p.blocked_until, p.blocked_since) AS until, c.slot,
           b.block
      FROM call_budget p
      JOIN (SELECT j.environment, j.api, make_interval(secs => j."slotSeconds") AS slot
              FROM jsonb_to_recordset(p_calls) AS j (environment text, api text, "slotSeconds" float8)) c
        ON c.environment = p.environment AND c.api = p.api
     CROSS JOIN LATERAL (
       SELECT make_interval(secs => coalesce((p_longest->'callBlocks'->>p.blocked_reason)::float8, 0)) AS block) b
     WHERE p.next_at > v_late + c.slot OR p.blocked_until > v_late + b.block OR p.blocked_since > v_late
       FOR UPDATE OF p SKIP LOCKED),
  limited AS (
    UPDATE call_budget p
       SET next_at = least(p.next_at, v_now + s.slot), blocked_until = least(p.blocked_until, v_now + s.block),
           blocked_since = least(p.blocked_since, v_now)
      FROM stored s WHERE p.client_id = s.client_id AND p.environment = s.environment AND p.api = s.api
    RETURNING s.until)
  SELECT 'authority calls', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT p.holder, p.environment, p.api, p.next_at AS until, c.share
      FROM authority_share p
      JOIN (SELECT j.environment, j.api, make_interval(secs => j."shareSeconds") AS share
              FROM jsonb_to_recordset(p_calls) AS j (environment text, api text, "shareSeconds" float8)) c
        ON c.environment = p.environment AND c.api = p.api
     WHERE p.next_at > v_late + c.share LIMIT v_rows FOR UPDATE OF p SKIP LOCKED),
  limited AS (
    UPDATE authority_share p SET next_at = v_now + s.share
      FROM stored s WHERE p.holder = s.holder AND p.environment = s.environment AND p.api = s.api
    RETURNING s.until)
  SELECT 'shares of authority calls', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  -- Otherwise an organisation served in the future would be served last until that time.
  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT l.tenant_id, l.environment, l.operation, b.block,
           greatest(l.waiting_until, l.served_at, l.waiting_since, l.unconfigured_since) AS until
      FROM tenant_queue l
     CROSS JOIN LATERAL (
       SELECT make_interval(secs => coalesce((p_longest->'queueWaits'->>l.waiting_code)::float8, 0)) AS block) b
     WHERE l.waiting_until > v_late + b.block OR l.served_at > v_late OR l.floor_due_at > v_late
        OR l.waiting_since > v_late OR l.unconfigured_since > v_late
     LIMIT v_rows FOR UPDATE OF l SKIP LOCKED),
  limited AS (
    UPDATE tenant_queue l
       SET waiting_until = least(l.waiting_until, v_now + s.block), waiting_since = least(l.waiting_since, v_now),
           unconfigured_since = least(l.unconfigured_since, v_now), served_at = least(l.served_at, v_now),
           floor_due_at = CASE WHEN l.floor_due_at > v_late THEN '-infinity' ELSE l.floor_due_at END
      FROM stored s WHERE l.tenant_id = s.tenant_id AND l.environment = s.environment AND l.operation = s.operation
    RETURNING s.until)
  SELECT 'tenant queues', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  -- An accepted document is due immediately; only a postponed document waits.
  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT d.tenant_id, d.id, d.due_at AS until, d.created_at FROM tenant_queue l
     CROSS JOIN LATERAL (
       SELECT t.tenant_id, t.id, t.due_at, t.created_at FROM document_transaction t
        WHERE t.tenant_id = l.tenant_id AND t.environment = l.environment
          AND t.submission_status = 'Queued' AND t.held_until IS NULL
          AND t.due_at > v_late AND (t.created_at > v_late OR t.due_at > v_late + v_document)
        ORDER BY t.due_at, t.id LIMIT v_rows FOR UPDATE SKIP LOCKED) d
     WHERE l.operation = 'submit'),
  limited AS (
    UPDATE document_transaction t
       SET due_at = CASE WHEN s.created_at > v_late THEN v_now ELSE v_now + v_document END,
           version = t.version + 1, updated_at = v_now
      FROM stored s WHERE t.tenant_id = s.tenant_id AND t.id = s.id
    RETURNING s.until)
  SELECT 'queued documents', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT c.tenant_id, c.id, c.lease_until AS until FROM authority_submission c
     WHERE c.state = 'sending' AND c.lease_until > v_late + v_lease LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE authority_submission c SET lease_until = v_now + v_lease
      FROM stored s WHERE c.tenant_id = s.tenant_id AND c.id = s.id
    RETURNING s.until)
  SELECT 'leases of calls', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  -- A call that became unknown in the future is looked up now, while its documents can still be found.
  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT c.tenant_id, c.id, c.due_at AS until, w.longest FROM authority_submission c
     CROSS JOIN LATERAL (
       SELECT CASE WHEN c.state = 'unknown' AND c.updated_at > v_late THEN interval '0'
                   WHEN c.state = 'unknown' THEN v_doubt
                   WHEN EXISTS (SELECT FROM document_transaction t
                                 WHERE t.tenant_id = c.tenant_id AND t.authority_submission_id = c.id
                                   AND t.authority_status = 'Submitted') THEN v_poll
                   ELSE v_watch END AS longest) w
     WHERE c.state IN ('accepted', 'unknown') AND c.due_at > v_late + least(v_doubt, v_poll, v_watch)
       AND c.due_at > v_late + w.longest
     LIMIT v_rows FOR UPDATE OF c SKIP LOCKED),
  limited AS (
    UPDATE authority_submission c SET due_at = v_now + s.longest
      FROM stored s WHERE c.tenant_id = s.tenant_id AND c.id = s.id
    RETURNING s.until)
  SELECT 'polls and lookups', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  -- The age of a call that was sent in the future is unknown, so it is never sent again: after two hours, the authority
  -- accepts the same documents a second time. Lookups continue.
  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT c.tenant_id, c.id, c.sent_at > v_late AS is_ahead,
           CASE WHEN c.sent_at > v_late THEN c.sent_at ELSE c.resend_after END AS until
      FROM authority_submission c
     WHERE c.state = 'unknown'
       AND CASE WHEN c.sent_at > v_late THEN c.resend_after IS DISTINCT FROM c.sent_at + v_resend
                ELSE c.resend_after > v_late + v_resend_pause END
     LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE authority_submission c
       SET resend_after = CASE WHEN s.is_ahead THEN c.sent_at + v_resend ELSE v_now + v_resend_pause END
      FROM stored s WHERE c.tenant_id = s.tenant_id AND c.id = s.id
    RETURNING s.until)
  SELECT 'calls in doubt', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT c.tenant_id, c.id, c.due_at AS until FROM document_cancellation c
     WHERE c.status IN ('Queued', 'Processing') AND c.due_at > v_late + v_lease LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE document_cancellation c SET due_at = v_now + v_lease
      FROM stored s WHERE c.tenant_id = s.tenant_id AND c.id = s.id
    RETURNING s.until)
  SELECT 'cancellations', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT k.tenant_id, k.environment, k.client_id, k.on_behalf_of, greatest(k.login_until, k.logged_in_at) AS until
      FROM authority_token k
     WHERE k.login_until > v_late + v_login OR k.logged_in_at > v_late LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE authority_token k
       SET login_until = least(k.login_until, v_now + v_login), logged_in_at = least(k.logged_in_at, v_now)
      FROM stored s
     WHERE k.tenant_id = s.tenant_id AND k.environment = s.environment AND k.client_id = s.client_id
       AND k.on_behalf_of = s.on_behalf_of
    RETURNING s.until)
  SELECT 'logins', count(*)::integer, max(extract(epoch FROM until - v_now))::float8 FROM limited HAVING count(*) > 0;

  -- A dead letter waits until an operator retries it.
  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT d.tenant_id, d.consumer, d.document_id, d.event_id, d.due_at AS until, d.at FROM event_consumer e
     CROSS JOIN LATERAL (
       SELECT v.tenant_id, v.consumer, v.document_id, v.event_id, v.due_at, v.at FROM event_delivery v
        WHERE v.consumer = e.name AND v.due_at > v_late AND v.due_at < 'infinity'
          AND (v.at > v_late OR v.due_at > v_late + v_event)
        ORDER BY v.due_at LIMIT v_rows FOR UPDATE SKIP LOCKED) d),
  limited AS (
    UPDATE event_delivery v SET due_at = CASE WHEN s.at > v_late THEN v_now ELSE v_now + v_event END
      FROM stored s
     WHERE v.tenant_id = s.tenant_id AND v.consumer = s.consumer AND v.document_id = s.document_id
       AND v.event_id = s.event_id
    RETURNING s.until)
  SELECT 'event deliveries', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT j.tenant_id, j.id, greatest(j.due_at, j.served_at) AS until, j.created_at FROM bulk_job j
     WHERE j.status IN ('checking', 'running')
       AND (j.due_at > v_late + v_retry_after OR (j.created_at > v_late AND j.due_at > v_late) OR j.served_at > v_late)
     LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE bulk_job j
       SET due_at = least(j.due_at, CASE WHEN s.created_at > v_late THEN v_now ELSE v_now + v_retry_after END),
           served_at = least(j.served_at, v_now)
      FROM stored s WHERE j.tenant_id = s.tenant_id AND j.id = s.id
    RETURNING s.until)
  SELECT 'bulk jobs', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  -- A first attempt does not block; its blocked_until is its own time.
  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT t.subject, t.blocked_until AS until, t.blocked_until <= t.updated_at AS is_free FROM sign_in_throttle t
     WHERE t.updated_at > v_late OR t.blocked_until > v_late + v_sign_in LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE sign_in_throttle t
       SET blocked_until = least(t.blocked_until, v_now + CASE WHEN s.is_free THEN interval '0' ELSE v_sign_in END),
           updated_at = least(t.updated_at, v_now)
      FROM stored s WHERE t.subject = s.subject
    RETURNING s.until)
  SELECT 'sign-ins', count(*)::integer, max(extract(epoch FROM until - v_now))::float8 FROM limited HAVING count(*) > 0;

  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT u.id, u.last_seen_at AS until FROM user_session u
     WHERE u.last_seen_at > v_late LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE user_session u SET last_seen_at = v_now FROM stored s WHERE u.id = s.id RETURNING s.until)
  SELECT 'sessions', count(*)::integer, max(extract(epoch FROM until - v_now))::float8 FROM limited HAVING count(*) > 0;

  RETURN QUERY
  WITH stored AS MATERIALIZED (
    SELECT h.name, h.last_run_at AS until FROM housekeeping_task h
     WHERE h.last_run_at > v_late LIMIT v_rows FOR UPDATE SKIP LOCKED),
  limited AS (
    UPDATE housekeeping_task h SET last_run_at = v_now FROM stored s WHERE h.name = s.name RETURNING s.until)
  SELECT 'periodic tasks', count(*)::integer, max(extract(epoch FROM until - v_now))::float8
    FROM limited HAVING count(*) > 0;

  -- A search after a restore starts at this time.
  UPDATE database_server SET seen_at = v_now WHERE seen_at > v_late;
END $$;

REVOKE ALL ON FUNCTION limit_stored_waits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION limit_stored_waits TO einvoice_dispatcher;

-- Leases of rate limits to one process of the API, and reports of what it used (docs/decisions/0078-rate-limits.md). A
-- row holds what counts, by second: what was used in the second of its report, and each lease, whole, in the second in
-- which it ends, until it is reported what was used of it. Runs as the owner: no role of the service changes the rows
-- in another way.
CREATE OR REPLACE FUNCTION lease_rate_limits(p_requests jsonb)
RETURNS TABLE (bucket text, granted integer, lease_end double precision, remaining integer, free_in integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_window CONSTANT integer := 60;
  v_lease_max CONSTANT integer := 30;
  v_asked record;
  v_seconds bigint[];
  v_counts integer[];
  v_counted integer;
  v_now bigint;
BEGIN
  -- In one order, so that two processes never wait for each other.
  FOR v_asked IN
    SELECT r.bucket, r.quota, r.used, r.returned, r."returnedEnd" AS returned_end, r.wanted,
           least(r.seconds, v_lease_max) AS seconds
      FROM jsonb_to_recordset(p_requests) AS r (bucket text, quota integer, used integer, returned integer,
        "returnedEnd" bigint, wanted integer, seconds integer)
     ORDER BY r.bucket
  LOOP
    INSERT INTO rate_limit_window AS w (bucket, seconds, counts, updated_at)
    VALUES (v_asked.bucket, '{}', '{}', service_now())
    ON CONFLICT ON CONSTRAINT pk_rate_limit_window DO UPDATE SET updated_at = excluded.updated_at
    RETURNING w.seconds, w.counts INTO v_seconds, v_counts;
    -- Under the lock of the row, so that the seconds are in the order of the leases.
    v_now := floor(extract(epoch FROM service_now()));
    -- What comes from a clock that has been set back counts no longer than a lease that begins now.
    SELECT coalesce(array_agg(k.second ORDER BY k.second), '{}'), coalesce(array_agg(k.count ORDER BY k.second), '{}'),
           coalesce(sum(k.count), 0)
      INTO v_seconds, v_counts, v_counted
      FROM (SELECT least(s.second, v_now + v_lease_max) AS second,
                   sum(s.count) - CASE WHEN s.second = v_asked.returned_end THEN v_asked.returned ELSE 0 END AS count
              FROM unnest(v_seconds, v_counts) AS s (second, count)
             WHERE s.second >= v_now - v_window
             GROUP BY s.second) k
     WHERE k.count > 0;
    IF v_asked.used > 0 THEN
      v_seconds := v_seconds || v_now;
      v_counts := v_counts || v_asked.used;
      v_counted := v_counted + v_asked.used;
    END IF;
    -- At most half of what is left, so that another process finds something.
    granted := greatest(0, least(v_asked.wanted, ceil((v_asked.quota - v_counted) / 2.0)::integer));
    IF granted > 0 THEN
      v_seconds := v_seconds || (v_now + v_asked.seconds);
      v_counts := v_counts || granted;
    END IF;
    UPDATE rate_limit_window w SET seconds = v_seconds, counts = v_counts WHERE w.bucket = v_asked.bucket;
    bucket := v_asked.bucket;
    lease_end := v_now + v_asked.seconds;
    remaining := greatest(0, v_asked.quota - v_counted - granted);
    free_in := coalesce((SELECT min(s.second) FROM unnest(v_seconds) AS s (second)) + v_window + 1 - v_now, 1);
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION lease_rate_limits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_rate_limits TO einvoice_app;

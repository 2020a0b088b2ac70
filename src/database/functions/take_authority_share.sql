-- Takes an authority call from several shares, or from none (docs/decisions/0084-shares-of-authority-calls.md). Returns
-- the seconds to wait, or the share that refuses the call and when it is free. The call waits only for the last share,
-- at most p_within. Runs as the owner because no other role has a grant on the table.
CREATE OR REPLACE FUNCTION take_authority_share(
  p_holders text[], p_gaps double precision[], p_environment text, p_api text, p_within double precision)
RETURNS TABLE (refused_by text, wait_seconds double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_last CONSTANT text := p_holders[cardinality(p_holders)];
  v_now timestamptz;
BEGIN
  INSERT INTO authority_share (holder, environment, api, next_at)
  SELECT h.holder, p_environment, p_api, service_now() FROM unnest(p_holders) AS h (holder)
  ON CONFLICT DO NOTHING;
  -- One lock order for all calls.
  PERFORM FROM authority_share s
    WHERE s.holder = ANY (p_holders) AND s.environment = p_environment AND s.api = p_api
    ORDER BY array_position(p_holders, s.holder) FOR UPDATE;
  v_now := service_now();
  -- A longer wait was stored before the clock was set back.
  UPDATE authority_share s SET next_at = v_now + h.longest
    FROM (SELECT g.holder, make_interval(secs => g.gap + CASE g.holder WHEN v_last THEN p_within ELSE 0 END) AS longest
            FROM unnest(p_holders, p_gaps) AS g (holder, gap)) h
   WHERE s.holder = h.holder AND s.environment = p_environment AND s.api = p_api AND s.next_at > v_now + h.longest;
  SELECT s.holder, extract(epoch FROM s.next_at - v_now) INTO refused_by, wait_seconds FROM authority_share s
   WHERE s.holder = ANY (p_holders) AND s.environment = p_environment AND s.api = p_api
     AND s.next_at > v_now + make_interval(secs => CASE s.holder WHEN v_last THEN p_within ELSE 0 END)
   ORDER BY s.next_at DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT greatest(0, extract(epoch FROM s.next_at - v_now)) INTO wait_seconds FROM authority_share s
     WHERE s.holder = v_last AND s.environment = p_environment AND s.api = p_api;
    UPDATE authority_share s SET next_at = v_now + make_interval(secs => wait_seconds + h.gap)
      FROM unnest(p_holders, p_gaps) AS h (holder, gap)
     WHERE s.holder = h.holder AND s.environment = p_environment AND s.api = p_api;
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION take_authority_share FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_authority_share TO einvoice_app;

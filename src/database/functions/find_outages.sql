-- Returns the current outages that delay documents of all organisations, the most serious first. A null environment
-- means both. Runs as the owner because einvoice_app cannot read these tables.
CREATE OR REPLACE FUNCTION find_outages()
RETURNS TABLE (environment text, code text, since timestamptz, until timestamptz, stops text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH clock AS MATERIALIZED (SELECT service_now() AS now),
  stopped AS (
    SELECT p.environment, p.blocked_since, p.blocked_until, p.failures,
           CASE WHEN p.blocked_reason = 'call_budget' AND p.blocked_until > c.now
                 AND p.blocked_until - p.blocked_since >= interval '5 minutes' THEN 'call_budget'
                -- While work waits, a call or probe is made every ten seconds. Without one, the outage is over.
                WHEN p.blocked_until <= c.now - interval '3 minutes' THEN NULL
                WHEN p.blocked_reason = 'client_refused' THEN 'client_refused'
                WHEN p.failures > 0 THEN 'authority_unavailable' END AS code,
           CASE p.api WHEN 'login' THEN '{send,outcome,cancel}'::text[]
                      WHEN 'submit' THEN '{send}'
                      WHEN 'cancel' THEN '{cancel}'
                      ELSE '{outcome}' END AS stops
      FROM call_budget p CROSS JOIN clock c
     WHERE p.api IN ('login', 'submit', 'cancel', 'getSubmission', 'details', 'search')
       AND p.blocked_since IS NOT NULL),
  outage AS (
    SELECT NULL AS environment, 'not_running' AS code, coalesce(max(h.last_run_at), min(h.now)) AS since,
           NULL::timestamptz AS until, '{send,outcome,cancel}'::text[] AS stops
      -- A run in the future was stored before the clock was set back.
      FROM (SELECT c.now, CASE WHEN t.last_run_at <= c.now + interval '1 minute' THEN t.last_run_at END AS last_run_at
              FROM housekeeping_task t CROSS JOIN clock c) h
    HAVING count(*) > 0 AND coalesce(max(h.last_run_at), '-infinity') <= min(h.now) - interval '5 minutes'
     UNION ALL
    SELECT s.environment, s.code, least(min(s.blocked_since), (SELECT now FROM clock)),
           CASE s.code WHEN 'call_budget' THEN max(s.blocked_until) END, array_agg(DISTINCT stop.part)
      FROM stopped s CROSS JOIN LATERAL unnest(s.stops) AS stop (part)
     WHERE s.code IS NOT NULL GROUP BY s.environment, s.code
    -- One or two failures are normal. Lookups of a call in doubt come once per minute.
    HAVING s.code <> 'authority_unavailable' OR max(s.failures) >= 5
        OR max(s.blocked_until) - min(s.blocked_since) >= interval '1 minute')
  SELECT environment, code, since, until, stops FROM outage
   ORDER BY array_position('{not_running,client_refused,authority_unavailable,call_budget}'::text[], code), environment
$$;

REVOKE ALL ON FUNCTION find_outages FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_outages TO einvoice_app, einvoice_operator;

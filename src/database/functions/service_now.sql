-- The one SQL clock. The offset is 0 except in tests, which move the time instead of waiting. STABLE, so that a
-- comparison with it can use an index: within one statement the first reading counts.
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN clock_timestamp() + make_interval(secs => (SELECT offset_seconds FROM service_clock));
END $$;

REVOKE ALL ON FUNCTION service_now FROM PUBLIC;
GRANT EXECUTE ON FUNCTION service_now TO PUBLIC;

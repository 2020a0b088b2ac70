-- The clock of all SQL; tests and the simulator replace it (src/database/movable-clock.ts). Not statement_timestamp(),
-- because charge_credits reads it again after it waited for a lock. STABLE, so that comparisons can use an index.
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN clock_timestamp();
END $$;

REVOKE ALL ON FUNCTION service_now FROM PUBLIC;
GRANT EXECUTE ON FUNCTION service_now TO PUBLIC;

-- The one SQL clock. Tests and the simulator of the same machine replace it by one that they can move:
-- src/database/movable-clock.ts. Not statement_timestamp(), because charge_credits reads it again after waiting for a
-- lock. STABLE, so that a comparison with it can use an index: within one statement the first reading counts.
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN clock_timestamp();
END $$;

REVOKE ALL ON FUNCTION service_now FROM PUBLIC;
GRANT EXECUTE ON FUNCTION service_now TO PUBLIC;

import { FUNCTIONS, type FunctionSet } from './function-files.js';

/**
 * The functions of a database whose time may be moved, by tests and by the simulator of the same machine: its
 * `service_now()` adds the offset of `service_clock`, which costs each reading a row of a table.
 */
export const WITH_MOVABLE_CLOCK: FunctionSet = {
  ...FUNCTIONS,
  afterwards: /* sql */ `
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN clock_timestamp() + make_interval(secs => (SELECT offset_seconds FROM service_clock));
END $$`,
};

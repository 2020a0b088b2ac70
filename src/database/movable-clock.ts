import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets tests and the simulator move `service_now()` by the offset in `service_clock`. */
export class MovableClock9000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN clock_timestamp() + make_interval(secs => (SELECT offset_seconds FROM service_clock));
END $$`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('A movable clock stays movable'));
  }
}

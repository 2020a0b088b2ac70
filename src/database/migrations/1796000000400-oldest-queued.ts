import type { MigrationInterface, QueryRunner } from 'typeorm';

// Of each queue the first entry of its index, from the floor on that the last claim has left: a row for each queue,
// however long it is. LIMIT has it asked queue by queue; a minimum over them all would read all that waits.
const OLDEST_QUEUED = /* sql */ `
CREATE OR REPLACE FUNCTION oldest_queued_seconds() RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT greatest(0, extract(epoch FROM service_now() - min(f.due_at)))::double precision
    FROM dispatch_lane l
   CROSS JOIN LATERAL (
     SELECT t.due_at FROM document_transaction t
      WHERE t.tenant_id = l.tenant_id AND t.environment = l.environment
        AND t.submission_status = 'Queued' AND t.held_until IS NULL
        AND t.due_at >= least(l.floor_due_at, service_now() - interval '10 seconds')
      ORDER BY t.due_at, t.id LIMIT 1) f
   WHERE l.operation = 'submit'
  HAVING count(*) > 0
$$;
GRANT EXECUTE ON FUNCTION oldest_queued_seconds() TO einvoice_operator`;

export class OldestQueued1796000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OLDEST_QUEUED);
  }

  /** Every earlier build calls it and gets the same column. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('REVOKE EXECUTE ON FUNCTION oldest_queued_seconds() FROM einvoice_operator');
  }
}

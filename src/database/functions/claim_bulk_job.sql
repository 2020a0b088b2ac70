-- Leases a bulk job to a replica's tick, and puts off its next turn by the lease; none when nothing is due. Organisations
-- take turns, however many jobs each has: the one that was served longest ago is next, with its job that has waited
-- longest. Runs as the owner, because the API's role sees one tenant at a time: it gives the two ids by which that role
-- then enters the tenant. That a job of a dead replica is due again is all that its restart needs.
CREATE OR REPLACE FUNCTION claim_bulk_job(p_owner uuid, p_lease_seconds integer)
RETURNS TABLE (tenant_id uuid, id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE bulk_job job
     SET lease_owner = p_owner, due_at = service_now() + make_interval(secs => p_lease_seconds),
         served_at = service_now()
    FROM (SELECT due.tenant_id, due.id FROM bulk_job due
           WHERE due.status IN ('checking', 'running') AND due.due_at <= service_now()
           -- Of all its jobs, those that have ended too: many short ones would else be served as if for the first time.
           ORDER BY (SELECT max(served.served_at) FROM bulk_job served WHERE served.tenant_id = due.tenant_id) NULLS FIRST,
                    due.due_at
           LIMIT 1 FOR UPDATE SKIP LOCKED) next
   WHERE job.tenant_id = next.tenant_id AND job.id = next.id
  RETURNING job.tenant_id, job.id
$$;

REVOKE ALL ON FUNCTION claim_bulk_job FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_bulk_job TO einvoice_app;

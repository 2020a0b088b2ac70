-- Leases a due bulk job, or returns no row. The least recently served organisation comes first, however many jobs it
-- has. If a replica dies, its job is due again when the lease expires. Runs as the owner because einvoice_app sees
-- one tenant at a time.
CREATE OR REPLACE FUNCTION claim_bulk_job(p_owner uuid, p_lease_seconds integer)
RETURNS TABLE (tenant_id uuid, id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE bulk_job job
     SET lease_owner = p_owner, due_at = service_now() + make_interval(secs => p_lease_seconds),
         served_at = service_now()
    FROM (SELECT due.tenant_id, due.id FROM bulk_job due
           WHERE due.status IN ('checking', 'running') AND due.due_at <= service_now()
           -- Includes ended jobs, otherwise an organisation with many short jobs would always count as not yet served.
           ORDER BY (SELECT max(b.served_at) FROM bulk_job b WHERE b.tenant_id = due.tenant_id) NULLS FIRST,
                    due.due_at
           LIMIT 1 FOR UPDATE SKIP LOCKED) next
   WHERE job.tenant_id = next.tenant_id AND job.id = next.id
  RETURNING job.tenant_id, job.id
$$;

REVOKE ALL ON FUNCTION claim_bulk_job FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_bulk_job TO einvoice_app;

-- The age of the oldest queued document of all tenants. Runs as the owner: readiness, which needs no key, shows the
-- number and names no tenant. Of each tenant queue it reads the first entry of the index, from the floor that the last
-- claim has left: one row for each queue, however long it is. LIMIT makes the planner read queue by queue; a minimum
-- over all of them would read every waiting document.
CREATE OR REPLACE FUNCTION oldest_queued_seconds() RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT greatest(0, extract(epoch FROM service_now() - min(f.due_at)))::double precision
    FROM tenant_queue l
   CROSS JOIN LATERAL (
     SELECT t.due_at FROM document_transaction t
      WHERE t.tenant_id = l.tenant_id AND t.environment = l.environment
        AND t.submission_status = 'Queued' AND t.held_until IS NULL
        AND t.due_at >= least(l.floor_due_at, service_now() - interval '10 seconds')
      ORDER BY t.due_at, t.id LIMIT 1) f
   WHERE l.operation = 'submit'
  HAVING count(*) > 0
$$;

REVOKE ALL ON FUNCTION oldest_queued_seconds FROM PUBLIC;
GRANT EXECUTE ON FUNCTION oldest_queued_seconds TO einvoice_app, einvoice_dispatcher, einvoice_operator;

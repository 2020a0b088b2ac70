-- Returns the age of the oldest queued document of all tenants. LIMIT makes the planner read one index entry per tenant
-- queue, starting at the floor that the last claim stored. Runs as the owner because readiness requests have no tenant.
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

/** The SQL functions: the clock, the look-up of a key before its tenant is known, and the read of a batch's status. */
export const INITIAL_FUNCTIONS = /* sql */ `
-- The one SQL clock. The offset is 0 but in tests, which move time instead of waiting for it. STABLE, so that a
-- comparison with it can use an index: within one statement the first reading counts.
CREATE FUNCTION service_now() RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN clock_timestamp() + make_interval(secs => (SELECT offset_seconds FROM service_clock));
END $$;

-- Runs as its owner, since a caller's tenant is not known before its key is: takes a digest, gives at most one row.
CREATE FUNCTION find_api_key(p_digest bytea)
RETURNS TABLE (tenant_id uuid, key_id uuid, environment text, expires_at timestamptz, revoked_at timestamptz,
               last_used_at timestamptz, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.tenant_id, k.id, k.environment, k.expires_at, k.revoked_at, k.last_used_at, service_now()
    FROM api_key k WHERE k.digest = p_digest LIMIT 1
$$;
REVOKE ALL ON FUNCTION find_api_key(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(bytea) TO einvoice_app;

-- One round trip sets the tenant and reads the batch (D9): a row per document, in the order of submission.
CREATE FUNCTION read_submission_status(p_tenant_id uuid, p_environment text, p_batch_id uuid, p_client_id text)
RETURNS TABLE (
  now timestamptz, submission_type text, batch_created_at timestamptz,
  document_id uuid, transaction_id uuid, document_type text, reference_id text,
  submission_status text, authority_status text, authority_uuid text, authority_submission_uid text,
  authority_long_id text, totals jsonb, errors jsonb, version integer, due_at timestamptz,
  issued_at timestamptz, submitted_at timestamptz, validated_at timestamptz, cancelled_at timestamptz,
  rejection_requested_at timestamptz, updated_at timestamptz,
  cancellation_id uuid, cancellation_status text, cancellation_reason text, cancellation_errors jsonb,
  cancellation_requested_at timestamptz, cancellation_updated_at timestamptz,
  in_doubt_since timestamptz, lane_blocked_reason text, lane_blocked_since timestamptz,
  pace_blocked_reason text, pace_blocked_since timestamptz)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE v_now timestamptz := service_now();
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  RETURN QUERY
  SELECT v_now, b.submission_type, b.created_at,
         t.document_id, t.id, t.document_type, t.reference_id,
         t.submission_status, t.authority_status, t.authority_uuid, s.submission_uid,
         t.authority_long_id, t.totals, t.errors, t.version, t.due_at,
         t.issued_at, t.submitted_at, t.validated_at, t.cancelled_at, t.rejection_requested_at, t.updated_at,
         c.id, c.status, c.reason, c.errors, c.created_at, c.updated_at,
         CASE WHEN s.state = 'unknown' THEN s.updated_at END,
         l.blocked_reason, l.blocked_since, p.blocked_reason, p.blocked_since
    FROM submission_batch b
    JOIN document_transaction t ON t.tenant_id = b.tenant_id AND t.submission_batch_id = b.id
    LEFT JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
    LEFT JOIN LATERAL (
      SELECT x.* FROM document_cancellation x
       WHERE x.tenant_id = t.tenant_id AND x.transaction_id = t.id ORDER BY x.id DESC LIMIT 1) c ON true
    LEFT JOIN dispatch_lane l ON l.tenant_id = b.tenant_id AND l.environment = b.environment
     AND l.operation = 'submit' AND l.blocked_until > v_now
    LEFT JOIN authority_pace p ON p.client_id = p_client_id AND p.environment = b.environment AND p.api = 'submit'
     AND p.blocked_until > v_now
   WHERE b.tenant_id = p_tenant_id AND b.id = p_batch_id AND b.environment = p_environment
   ORDER BY t.position;
END $$;
REVOKE ALL ON FUNCTION read_submission_status(uuid, text, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_submission_status(uuid, text, uuid, text) TO einvoice_app;

-- What readiness tells without a key: figures over all tenants that name none of them, hence run as the owner.
CREATE FUNCTION oldest_queued_seconds() RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT extract(epoch FROM service_now() - min(t.created_at))::double precision
    FROM document_transaction t WHERE t.submission_status = 'Queued'
$$;
CREATE FUNCTION applied_migrations() RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT array_agg(m.name::text) FROM schema_migration m
$$;
REVOKE ALL ON FUNCTION oldest_queued_seconds(), applied_migrations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION oldest_queued_seconds(), applied_migrations() TO einvoice_app, einvoice_dispatcher;
`;

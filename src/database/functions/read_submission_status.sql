-- Sets the tenant and reads a batch in one round trip (docs/rules.md#status-response), one row per document.
CREATE OR REPLACE FUNCTION read_submission_status(
  p_tenant_id uuid, p_environment text, p_batch_id uuid, p_client_id text, p_failures_to_open integer)
RETURNS TABLE (
  now timestamptz, submission_type text, batch_created_at timestamptz,
  document_id uuid, transaction_id uuid, document_type text, reference_id text,
  submission_status text, authority_status text, authority_uuid text, authority_submission_uid text,
  authority_long_id text, totals jsonb, errors jsonb, version integer, due_at timestamptz,
  issued_at timestamptz, submitted_at timestamptz, validated_at timestamptz, cancelled_at timestamptz,
  rejection_requested_at timestamptz, held_until timestamptz, parent_reference_id text, created_at timestamptz,
  updated_at timestamptz,
  cancellation_id uuid, cancellation_status text, cancellation_reason text, cancellation_errors jsonb,
  cancellation_requested_at timestamptz, cancellation_updated_at timestamptz,
  in_doubt_since timestamptz, queue_waiting_code text, queue_waiting_since timestamptz,
  budget_waiting_code text, budget_waiting_since timestamptz)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz := service_now();
  v_recovered boolean := has_recovered();
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  RETURN QUERY
  SELECT v_now, b.submission_type, b.created_at,
         t.document_id, t.id, t.document_type, t.reference_id,
         t.submission_status, t.authority_status, u.uuid, CASE WHEN u.uuid IS NOT NULL THEN s.submission_uid END,
         t.authority_long_id, t.totals, t.errors, t.version, t.due_at,
         t.issued_at, t.submitted_at, t.validated_at, t.cancelled_at, t.rejection_requested_at,
         t.held_until, t.parent_reference_id, t.created_at, t.updated_at,
         c.id, c.status, c.reason, c.errors, c.created_at, c.updated_at,
         CASE WHEN s.state = 'unknown' THEN s.updated_at END,
         -- The first send may be older than the restored database.
         CASE WHEN r.since IS NULL THEN l.reason ELSE 'in_doubt' END, coalesce(r.since, l.since),
         p.blocked_reason, p.blocked_since
    FROM submission_batch b
    JOIN document_transaction t ON t.tenant_id = b.tenant_id AND t.submission_batch_id = b.id
    LEFT JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
    -- An unconfirmed uuid may belong to another organisation.
    CROSS JOIN LATERAL (SELECT CASE WHEN t.uuid_confirmed THEN t.authority_uuid END AS uuid) u
    LEFT JOIN LATERAL (
      SELECT x.* FROM document_cancellation x
       WHERE x.tenant_id = t.tenant_id AND x.transaction_id = t.id ORDER BY x.id DESC LIMIT 1) c ON true
    LEFT JOIN tenant_queue d ON d.tenant_id = b.tenant_id AND d.environment = b.environment AND d.operation = 'submit'
    LEFT JOIN LATERAL (
      SELECT CASE WHEN d.waiting_until > v_now THEN d.waiting_code
                  WHEN d.unconfigured_since IS NOT NULL THEN 'environment_not_configured'
                  ELSE 'not_appointed' END AS reason,
             CASE WHEN d.waiting_until > v_now THEN d.waiting_since
                  WHEN d.unconfigured_since IS NOT NULL THEN d.unconfigured_since
                  ELSE t.updated_at END AS since
       WHERE d.waiting_until > v_now OR d.unconfigured_since IS NOT NULL
          -- Without a refusal, a document is postponed only if the taxpayer no longer permits submissions.
          OR (t.submission_status = 'Queued' AND t.refusals = 0 AND t.due_at > v_now)) l ON true
    LEFT JOIN LATERAL (
      SELECT coalesce(
               waits_for_recovery_since(t.tenant_id),
               found_at_authority_since(t.environment, t.on_behalf_of, t.document_type, t.reference_id)) AS since
       WHERE v_recovered AND t.submission_status = 'Queued') r ON true
    LEFT JOIN call_budget p ON p.client_id = p_client_id AND p.environment = b.environment AND p.api = 'submit'
     AND (p.blocked_until > v_now OR p.failures >= p_failures_to_open)
   WHERE b.tenant_id = p_tenant_id AND b.id = p_batch_id AND b.environment = p_environment
   ORDER BY t.position;
END $$;

REVOKE ALL ON FUNCTION read_submission_status FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_submission_status TO einvoice_app;

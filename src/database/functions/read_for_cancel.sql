-- Reads the data for deciding a cancel, in one snapshot (docs/rules.md#cancellation). The document is null if the
-- tenant does not have it. referencingDocuments are its credit notes that have not ended; a held note refers to its
-- parent by number. A stored uuid may be in the case that a caller sent. A query per uuid avoids a scan of all notes
-- with stale statistics. While the validation time is unknown, the window starts at the earlier submission time.
CREATE OR REPLACE FUNCTION read_for_cancel(p_tenant_id uuid, p_environment text, p_key text, p_document_id uuid)
RETURNS TABLE (now timestamptz, body_hash bytea, response_status integer, response text, tin text, document jsonb)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  now := service_now();
  SELECT r.body_hash, r.response_status, r.response INTO body_hash, response_status, response
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = 'cancel' AND r.key = p_key;
  SELECT o.tin INTO tin FROM tenant o WHERE o.tenant_id = p_tenant_id;
  SELECT jsonb_build_object(
           'documentId', d.id, 'transactionId', t.id, 'submissionStatus', t.submission_status,
           'authorityStatus', t.authority_status, 'validatedAt', coalesce(t.validated_at, t.submitted_at),
           'cancellationUnderWay', (
             SELECT c.id FROM document_cancellation c
              WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status IN ('Queued', 'Processing')
              LIMIT 1),
           'windowClosedAt', (
             SELECT min(c.updated_at) FROM document_cancellation c
              WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status = 'Failed'
                AND c.errors @> '[{"code": "cancellation_window_closed"}]'),
           'referencingDocuments', ARRAY(
             SELECT r.reference_id FROM (
               SELECT n.id, n.reference_id
                 FROM (SELECT DISTINCT uuid FROM unnest(ARRAY[
                         t.authority_uuid, upper(t.authority_uuid), lower(t.authority_uuid)]) AS u (uuid)) u
                CROSS JOIN LATERAL (
                  SELECT id, document_id, reference_id, submission_status, authority_status FROM document_transaction
                   WHERE tenant_id = p_tenant_id AND environment = p_environment AND parent_reference_id IS NOT NULL
                     AND parent_authority_uuid = u.uuid OFFSET 0) n
                 JOIN LATERAL (
                  SELECT transaction_id FROM document WHERE tenant_id = p_tenant_id AND id = n.document_id OFFSET 0) nd
                   ON nd.transaction_id = n.id
                WHERE n.submission_status <> 'SubmitFailed'
                  AND n.authority_status IS DISTINCT FROM 'Invalid' AND n.authority_status IS DISTINCT FROM 'Cancelled'
                UNION ALL
               SELECT h.id, h.reference_id FROM document_transaction h
                WHERE h.tenant_id = p_tenant_id AND h.environment = p_environment
                  AND h.parent_reference_id = t.reference_id AND h.parent_type = t.document_type
                  AND h.submission_status = 'Queued' AND h.held_until IS NOT NULL) r
              ORDER BY r.id LIMIT 100))
    INTO document
    FROM document d
    JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.id = d.transaction_id
   WHERE d.tenant_id = p_tenant_id AND d.environment = p_environment AND d.id = p_document_id;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION read_for_cancel FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_for_cancel TO einvoice_app;

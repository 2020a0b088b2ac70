-- Returns the given documents, and those with an attempt that has one of the given authority uuids. Each document is
-- looked up separately: with stale statistics, a join reads all documents of the tenant (1.7 s instead of 2 ms for 100
-- documents among 9,000).
CREATE OR REPLACE FUNCTION stored_documents(
  p_tenant_id uuid, p_environment text, p_types text[], p_reference_ids text[], p_authority_uuids text[])
RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  WITH issued AS MATERIALIZED (
    SELECT t.tenant_id, t.id, t.document_type, t.reference_id, t.authority_uuid, t.submission_status,
           t.authority_status, t.buyer_tin
      FROM (SELECT DISTINCT authority_uuid FROM unnest(p_authority_uuids) AS u (authority_uuid)) u
     CROSS JOIN LATERAL (
       SELECT tenant_id, id, document_type, reference_id, authority_uuid, submission_status, authority_status, buyer_tin
         FROM document_transaction
        WHERE tenant_id = p_tenant_id AND environment = p_environment AND authority_uuid = u.authority_uuid
          AND uuid_confirmed OFFSET 0) t),
  wanted AS (
    SELECT * FROM unnest(p_types, p_reference_ids) AS w (document_type, reference_id)
    UNION
    SELECT document_type, reference_id FROM issued)
  SELECT coalesce(jsonb_agg(jsonb_build_object(
           'documentId', d.id, 'documentType', d.document_type, 'referenceId', d.reference_id, 'attempts', d.attempts,
           'submissionBatchId', t.submission_batch_id, 'submissionStatus', t.submission_status,
           'authorityStatus', t.authority_status, 'buyerTin', t.buyer_tin,
           'authorityUuid', CASE WHEN t.uuid_confirmed THEN t.authority_uuid END,
           'hasCancellationUnderWay', EXISTS (
             SELECT FROM document_cancellation c
              WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status IN ('Queued', 'Processing')),
           'issued', (
             SELECT coalesce(jsonb_agg(jsonb_build_object(
                      'authorityUuid', i.authority_uuid, 'submissionStatus', i.submission_status,
                      'authorityStatus', i.authority_status, 'buyerTin', i.buyer_tin,
                      'hasCancellationUnderWay', EXISTS (
                        SELECT FROM document_cancellation c
                         WHERE c.tenant_id = i.tenant_id AND c.transaction_id = i.id
                           AND c.status IN ('Queued', 'Processing'))) ORDER BY i.id), '[]')
               FROM issued i WHERE i.document_type = d.document_type AND i.reference_id = d.reference_id))
           ORDER BY d.document_type, d.reference_id), '[]')
    FROM wanted w
   CROSS JOIN LATERAL (
     SELECT * FROM document
      WHERE tenant_id = p_tenant_id AND environment = p_environment
        AND document_type = w.document_type AND reference_id = w.reference_id OFFSET 0) d
    JOIN LATERAL (
     SELECT * FROM document_transaction WHERE tenant_id = p_tenant_id AND id = d.transaction_id OFFSET 0) t ON true
$$;

REVOKE ALL ON FUNCTION stored_documents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stored_documents TO einvoice_app;

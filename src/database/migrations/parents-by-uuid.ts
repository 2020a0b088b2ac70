/** The functions that tell where documents stand for a note that refers to them, and for their cancellation. */

export const PARENT_TYPE_OF = /* sql */ `
-- The type that documents of a type refer to; null for one that refers to none.
CREATE FUNCTION parent_type_of(p_document_type text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_document_type WHEN 'credit_note' THEN 'invoice' END
$$;
REVOKE ALL ON FUNCTION parent_type_of(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parent_type_of(text) TO einvoice_app;
`;

export const KNOWN_DOCUMENTS = /* sql */ `
-- As before; and of each document the attempts that have a wanted uuid, which may be earlier ones than the current.
CREATE OR REPLACE FUNCTION known_documents(
  p_tenant_id uuid, p_environment text, p_types text[], p_reference_ids text[], p_authority_uuids text[])
RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  WITH issued AS MATERIALIZED (
    SELECT t.tenant_id, t.id, t.document_type, t.reference_id, t.authority_uuid, t.submission_status, t.authority_status,
           t.buyer_tin
      FROM (SELECT DISTINCT authority_uuid FROM unnest(p_authority_uuids) AS u (authority_uuid)) u
     CROSS JOIN LATERAL (
       SELECT tenant_id, id, document_type, reference_id, authority_uuid, submission_status, authority_status, buyer_tin
         FROM document_transaction
        WHERE tenant_id = p_tenant_id AND environment = p_environment AND authority_uuid = u.authority_uuid OFFSET 0) t),
  wanted AS (
    SELECT * FROM unnest(p_types, p_reference_ids) AS w (document_type, reference_id)
    UNION
    SELECT document_type, reference_id FROM issued)
  SELECT coalesce(jsonb_agg(jsonb_build_object(
           'documentId', d.id, 'documentType', d.document_type, 'referenceId', d.reference_id, 'attempts', d.attempts,
           'submissionBatchId', t.submission_batch_id, 'submissionStatus', t.submission_status,
           'authorityStatus', t.authority_status, 'authorityUuid', t.authority_uuid, 'buyerTin', t.buyer_tin,
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
`;

export const CANCELLABLE_DOCUMENT = /* sql */ `
-- As before, but: a note that is held for a reference refers to a document of its parent's type only; one that names a
-- uuid may have been accepted by a build that kept the case in which the caller wrote it; and when the authority has
-- refused a cancellation as too late is said. Notes are looked up as known_documents looks up documents: for one uuid at
-- a time, so that stale statistics do not lead to a walk over all notes of the tenant.
CREATE OR REPLACE FUNCTION cancellable_document(p_tenant_id uuid, p_environment text, p_document_id uuid)
RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT jsonb_build_object(
           'documentId', d.id, 'transactionId', t.id, 'submissionStatus', t.submission_status,
           'authorityStatus', t.authority_status, 'validatedAt', t.validated_at,
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
                  AND h.parent_reference_id = t.reference_id AND parent_type_of(h.document_type) = t.document_type
                  AND h.submission_status = 'Queued' AND h.held_until IS NOT NULL) r
              ORDER BY r.id LIMIT 100))
    FROM document d
    JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.id = d.transaction_id
   WHERE d.tenant_id = p_tenant_id AND d.environment = p_environment AND d.id = p_document_id
$$;
`;

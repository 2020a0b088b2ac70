-- Reads the data for deciding a submit. One snapshot (STABLE), so that a concurrent request is seen with both its
-- stored response and its documents, or with neither. The first p_document_count numbers are those of the documents,
-- the others those of parents. The tenant's version consists of the xmin of its profile and of its verification, and is
-- null without a verification. `credited` lists the known parents with the total of their valid and pending credit
-- notes in sen; the total is null for more than 1,000 notes, which bounds the read.
CREATE OR REPLACE FUNCTION read_for_submit(
  p_tenant_id uuid, p_environment text, p_key text, p_document_count integer,
  p_types text[], p_reference_ids text[], p_number_keys text[], p_authority_uuids text[])
RETURNS TABLE (
  now timestamptz, body_hash bytea, response_status integer, response text, tenant jsonb, stored jsonb,
  similar_references jsonb, credited jsonb)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  now := service_now();
  SELECT r.body_hash, r.response_status, r.response INTO body_hash, response_status, response
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = 'submit' AND r.key = p_key;
  SELECT to_jsonb(o) || jsonb_build_object('version', o.xmin || '/' || v.xmin, 'verification',
           CASE WHEN v.status IS NOT NULL THEN jsonb_build_object('status', v.status, 'reason', v.reason) END)
    INTO tenant
    FROM tenant o
    LEFT JOIN taxpayer_verification v
      ON v.tenant_id = o.tenant_id AND v.environment = p_environment
     AND (v.tin, v.id_type, v.id_value) = (o.tin, o.id_type, o.id_value)
   WHERE o.tenant_id = p_tenant_id;
  stored := '[]';
  -- Most submits have only new numbers, for which this check is cheaper than stored_documents.
  IF cardinality(p_authority_uuids) > 0 OR EXISTS (
       SELECT FROM unnest(p_types, p_reference_ids) AS w (document_type, reference_id)
        CROSS JOIN LATERAL (
         SELECT FROM document
          WHERE tenant_id = p_tenant_id AND environment = p_environment
            AND document_type = w.document_type AND reference_id = w.reference_id OFFSET 0) d) THEN
    stored := stored_documents(p_tenant_id, p_environment, p_types, p_reference_ids, p_authority_uuids);
  END IF;
  similar_references := similar_numbers(p_tenant_id, p_environment, p_types, p_reference_ids, p_number_keys);
  credited := '[]';
  IF cardinality(p_types) > p_document_count THEN
    SELECT coalesce(jsonb_agg(jsonb_build_object(
             'documentType', p.document_type, 'referenceId', p.reference_id, 'documentDate', p.document_date,
             'payableSen', ((p.totals->>'totalPayableAmount')::numeric * 100)::bigint,
             'creditedSen', (
               SELECT CASE WHEN count(*) <= 1000 THEN
                        coalesce(
                          sum((totals->>'totalPayableAmount')::numeric * 100) FILTER (WHERE is_counted), 0)::bigint
                      END
                 FROM (
                 (SELECT n.totals, nd.transaction_id = n.id AND n.submission_status <> 'SubmitFailed'
                         AND n.authority_status IS DISTINCT FROM 'Invalid'
                         AND n.authority_status IS DISTINCT FROM 'Cancelled' AS is_counted
                    FROM (SELECT DISTINCT uuid FROM unnest(ARRAY[
                            p.authority_uuid, upper(p.authority_uuid), lower(p.authority_uuid)]) AS u (uuid)) u
                   CROSS JOIN LATERAL (
                     SELECT id, document_id, totals, submission_status, authority_status FROM document_transaction
                      WHERE tenant_id = p_tenant_id AND environment = p_environment AND parent_reference_id IS NOT NULL
                        AND parent_authority_uuid = u.uuid LIMIT 1001) n
                    JOIN LATERAL (
                     SELECT transaction_id FROM document
                      WHERE tenant_id = p_tenant_id AND id = n.document_id OFFSET 0) nd ON true)
                  UNION ALL
                 (SELECT h.totals, true FROM document_transaction h
                   WHERE h.tenant_id = p_tenant_id AND h.environment = p_environment
                     AND h.parent_reference_id = p.reference_id AND h.parent_type = p.document_type
                     AND h.submission_status = 'Queued' AND h.held_until IS NOT NULL LIMIT 1001)) note))), '[]')
      INTO credited
      FROM (SELECT DISTINCT document_type, reference_id
              FROM unnest(p_types[p_document_count + 1:], p_reference_ids[p_document_count + 1:])
                     AS u (document_type, reference_id)) w
     CROSS JOIN LATERAL (
       SELECT t.document_type, t.reference_id, t.authority_uuid, t.totals, t.document_date
         FROM (SELECT transaction_id FROM document
                WHERE tenant_id = p_tenant_id AND environment = p_environment
                  AND document_type = w.document_type AND reference_id = w.reference_id OFFSET 0) d
        CROSS JOIN LATERAL (
          SELECT document_type, reference_id, authority_uuid, totals, payload->>'documentDate' AS document_date
            FROM document_transaction
           WHERE tenant_id = p_tenant_id AND id = d.transaction_id OFFSET 0) t) p;
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION read_for_submit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_for_submit TO einvoice_app;

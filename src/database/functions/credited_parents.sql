-- What parents of credit notes are worth and what their notes have credited already, in sen, and the parents' dates: for
-- each of these numbers that the tenant has; null for one of more than 1,000 notes, since a submit must not read without
-- a bound. Notes that ended
-- Invalid, Cancelled or SubmitFailed count for nothing. Notes are looked up for one uuid at a time, as in
-- cancellable_document. For the tenant that the transaction has set.
CREATE OR REPLACE FUNCTION credited_parents(
  p_tenant_id uuid, p_environment text, p_types text[], p_reference_ids text[])
RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object(
           'documentType', p.document_type, 'referenceId', p.reference_id, 'documentDate', p.document_date,
           'payableSen', ((p.totals->>'totalPayableAmount')::numeric * 100)::bigint,
           'creditedSen', (
             SELECT CASE WHEN count(*) <= 1000 THEN
                      coalesce(sum((totals->>'totalPayableAmount')::numeric * 100) FILTER (WHERE is_counted), 0)::bigint END
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
                   SELECT transaction_id FROM document WHERE tenant_id = p_tenant_id AND id = n.document_id OFFSET 0) nd
                    ON true)
                UNION ALL
               (SELECT h.totals, true FROM document_transaction h
                 WHERE h.tenant_id = p_tenant_id AND h.environment = p_environment
                   AND h.parent_reference_id = p.reference_id AND parent_type_of(h.document_type) = p.document_type
                   AND h.submission_status = 'Queued' AND h.held_until IS NOT NULL LIMIT 1001)) note))), '[]')
    FROM (SELECT DISTINCT document_type, reference_id
            FROM unnest(p_types, p_reference_ids) AS u (document_type, reference_id)) w
   CROSS JOIN LATERAL (
     SELECT t.document_type, t.reference_id, t.authority_uuid, t.totals, t.document_date
       FROM (SELECT transaction_id FROM document
              WHERE tenant_id = p_tenant_id AND environment = p_environment
                AND document_type = w.document_type AND reference_id = w.reference_id OFFSET 0) d
      CROSS JOIN LATERAL (
        SELECT document_type, reference_id, authority_uuid, totals, payload->>'documentDate' AS document_date
          FROM document_transaction
         WHERE tenant_id = p_tenant_id AND id = d.transaction_id OFFSET 0) t) p
$$;

REVOKE ALL ON FUNCTION credited_parents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION credited_parents TO einvoice_app;

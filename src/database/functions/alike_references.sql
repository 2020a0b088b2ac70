-- Returns documents of the transaction's tenant whose number folds to the same text as a given number but differs from
-- it: one for each list position, starting at 0. ix_document_folded_reference contains only numbers that differ from their
-- folded form, so that ordinary numbers cost no index entry; uq_document_reference finds the others. Runs as the owner,
-- because row-level security would be checked before normalize(), which is not leakproof, and no index would be used.
CREATE OR REPLACE FUNCTION alike_references(p_environment text, p_types text[], p_reference_ids text[])
RETURNS jsonb LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_tenant_id uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('position', w.position - 1, 'referenceId', a.reference_id)
             ORDER BY w.position), '[]')
      FROM (
        SELECT document_type, reference_id, position,
               upper(CASE WHEN octet_length(reference_id) = length(reference_id) THEN reference_id
                          ELSE normalize(reference_id, NFKD) END COLLATE "C") AS folded
          FROM unnest(p_types, p_reference_ids) WITH ORDINALITY AS u (document_type, reference_id, position)
        OFFSET 0) w
     CROSS JOIN LATERAL (
       (SELECT d.reference_id FROM document d
         WHERE d.tenant_id = v_tenant_id AND d.environment = p_environment AND d.document_type = w.document_type
           AND d.reference_id = w.folded COLLATE "default" AND w.reference_id <> w.folded COLLATE "default")
       UNION ALL
       (SELECT d.reference_id FROM document d
         WHERE d.tenant_id = v_tenant_id AND d.environment = p_environment AND d.document_type = w.document_type
           AND upper(CASE WHEN octet_length(d.reference_id) = length(d.reference_id) THEN d.reference_id
                          ELSE normalize(d.reference_id, NFKD) END COLLATE "C") = w.folded
           AND d.reference_id <> upper(CASE WHEN octet_length(d.reference_id) = length(d.reference_id)
                                            THEN d.reference_id ELSE normalize(d.reference_id, NFKD) END COLLATE "C")
           AND d.reference_id <> w.reference_id)
       LIMIT 1) a);
END $$;

REVOKE ALL ON FUNCTION alike_references FROM PUBLIC;
GRANT EXECUTE ON FUNCTION alike_references TO einvoice_app;

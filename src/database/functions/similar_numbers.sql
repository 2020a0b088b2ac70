-- Returns the tenant's other numbers with the same search key as a given number, at most ten each, with the position of
-- the given number starting at 0. Sorted, because store_submission compares two results. OFFSET 0 makes the plan use
-- ix_document_number even if it was created while the table was empty.
CREATE OR REPLACE FUNCTION similar_numbers(
  p_tenant_id uuid, p_environment text, p_types text[], p_reference_ids text[], p_number_keys text[])
RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('position', n.position - 1, 'referenceId', s.reference_id)
                              ORDER BY n.position, s.reference_id), '[]')
      FROM unnest(p_types, p_reference_ids, p_number_keys) WITH ORDINALITY
             AS n (document_type, reference_id, number_key, position)
     CROSS JOIN LATERAL (
       SELECT d.reference_id FROM (
         SELECT document_type, reference_id FROM document
          WHERE tenant_id = p_tenant_id AND environment = p_environment AND number_key = n.number_key COLLATE "C"
         OFFSET 0) d
        WHERE d.document_type = n.document_type AND d.reference_id <> n.reference_id LIMIT 10) s);
END $$;

REVOKE ALL ON FUNCTION similar_numbers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION similar_numbers TO einvoice_app;

-- Returns the issue times of all tenants' documents with these types, numbers and supplier TIN. The lock serialises
-- claims for one TIN, so that each sees the issue times of the previous one. It is the last lock of a claim and of no
-- other function, so it cannot deadlock (docs/decisions/0063).
CREATE OR REPLACE FUNCTION taken_instants(
  p_environment text, p_supplier_tin text, p_types text[], p_reference_ids text[])
RETURNS TABLE (document_type text, reference_id text, issued_at timestamptz)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('issue instants|' || p_environment || '|' || p_supplier_tin, 0));
  RETURN QUERY
  SELECT w.document_type, w.reference_id, a.issued_at
    FROM unnest(p_types, p_reference_ids) AS w (document_type, reference_id)
   CROSS JOIN LATERAL (
     SELECT d.issued_at FROM authority_document d
      WHERE d.environment = p_environment AND d.supplier_tin = p_supplier_tin
        AND d.document_type = w.document_type AND d.reference_id = w.reference_id OFFSET 0) a;
END $$;

REVOKE ALL ON FUNCTION taken_instants FROM PUBLIC;
GRANT EXECUTE ON FUNCTION taken_instants TO einvoice_dispatcher;

-- Returns when the latest recovery began if the authority has a document of this TIN, type and number that no operator
-- has adopted or dismissed, and otherwise null. Such a number must not be sent. An invalid or cancelled document leaves
-- its number free. Returns a time of the recovery only, because the caller may pass the identity of any document.
CREATE OR REPLACE FUNCTION found_at_authority_since(
  p_environment text, p_on_behalf_of text, p_document_type text, p_reference_id text)
RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT max(r.began_at) FROM recovery r
   WHERE EXISTS (
     SELECT FROM found_document f
      WHERE f.reference_id = p_reference_id AND f.supplier_tin = split_part(p_on_behalf_of, ':', 1)
        AND f.environment = p_environment AND coalesce(f.document_type, p_document_type) = p_document_type
        AND f.state IN ('missing', 'disputed')
        AND (f.state = 'disputed' OR f.authority_status IS NULL
             OR f.authority_status NOT IN ('Invalid', 'Cancelled')))
$$;

REVOKE ALL ON FUNCTION found_at_authority_since FROM PUBLIC;
GRANT EXECUTE ON FUNCTION found_at_authority_since TO einvoice_app, einvoice_dispatcher;

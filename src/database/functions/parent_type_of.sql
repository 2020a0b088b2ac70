-- The type that documents of a type refer to; null for a type that refers to none. The document types in
-- src/documents/document-types.ts say the same.
CREATE OR REPLACE FUNCTION parent_type_of(p_document_type text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_document_type WHEN 'credit_note' THEN 'invoice' END
$$;

REVOKE ALL ON FUNCTION parent_type_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parent_type_of TO einvoice_app;

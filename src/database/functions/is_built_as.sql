-- Compares an attempt's stored bytes with a text as JSON values; text that is not JSON never matches. Runs as the owner
-- because einvoice_operator cannot read documents.
CREATE OR REPLACE FUNCTION is_built_as(p_tenant_id uuid, p_transaction_id uuid, p_text text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN coalesce((
    SELECT convert_from(a.bytes, 'UTF8')::jsonb = p_text::jsonb FROM authority_document a
     WHERE a.tenant_id = p_tenant_id AND a.transaction_id = p_transaction_id), false);
EXCEPTION WHEN data_exception THEN
  RETURN false;
END $$;

REVOKE ALL ON FUNCTION is_built_as FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_built_as TO einvoice_dispatcher, einvoice_operator;

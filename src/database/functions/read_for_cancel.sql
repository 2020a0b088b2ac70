-- What a cancel is decided on, in one snapshot, as read_for_submit does.
CREATE OR REPLACE FUNCTION read_for_cancel(p_tenant_id uuid, p_environment text, p_key text, p_document_id uuid)
RETURNS TABLE (now timestamptz, body_hash bytea, response_status integer, response text, tin text, document jsonb)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  now := service_now();
  SELECT r.body_hash, r.response_status, r.response INTO body_hash, response_status, response
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = 'cancel' AND r.key = p_key;
  SELECT o.tin INTO tin FROM tenant o WHERE o.tenant_id = p_tenant_id;
  document := cancellable_document(p_tenant_id, p_environment, p_document_id);
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION read_for_cancel FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_for_cancel TO einvoice_app;

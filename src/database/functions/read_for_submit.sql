-- Reads what a submit is decided on. STABLE, hence one snapshot: a request that commits meanwhile is seen with its stored
-- response and its documents, or with neither. If only the documents were seen, a client's retry would be refused as a
-- duplicate. The tenant's version changes with the profile and with the verification of its TIN, and is null if the TIN
-- was never verified: each change of a row gives it another xmin, and two within one database transaction are seen as one.
CREATE OR REPLACE FUNCTION read_for_submit(
  p_tenant_id uuid, p_environment text, p_key text, p_types text[], p_reference_ids text[], p_authority_uuids text[])
RETURNS TABLE (now timestamptz, body_hash bytea, response_status integer, response text, tenant jsonb, stored jsonb)
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
  IF cardinality(p_types) + cardinality(p_authority_uuids) > 0 THEN
    stored := stored_documents(p_tenant_id, p_environment, p_types, p_reference_ids, p_authority_uuids);
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION read_for_submit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_for_submit TO einvoice_app;

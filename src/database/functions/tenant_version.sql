-- Names what a submit is decided on of its tenant: changes with the profile and with the verification of its TIN. Null
-- when the TIN was never verified. Each change of a row gives it another xmin; two within one transaction are seen as one.
CREATE OR REPLACE FUNCTION tenant_version(p_tenant_id uuid, p_environment text)
RETURNS text LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT o.xmin || '/' || v.xmin
    FROM tenant o
    JOIN taxpayer_verification v
      ON v.tenant_id = o.tenant_id AND v.environment = p_environment
     AND (v.tin, v.id_type, v.id_value) = (o.tin, o.id_type, o.id_value)
   WHERE o.tenant_id = p_tenant_id
$$;

REVOKE ALL ON FUNCTION tenant_version FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenant_version TO einvoice_app;

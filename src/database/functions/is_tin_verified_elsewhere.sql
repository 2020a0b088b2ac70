-- Runs inside request_verification and decide_verification, which see the rows of all tenants.
CREATE OR REPLACE FUNCTION is_tin_verified_elsewhere(p_tenant_id uuid, p_environment text, p_tin text)
RETURNS boolean LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM taxpayer_verification
     WHERE tin = p_tin AND environment = p_environment AND status = 'verified' AND tenant_id <> p_tenant_id)
$$;

REVOKE ALL ON FUNCTION is_tin_verified_elsewhere FROM PUBLIC;

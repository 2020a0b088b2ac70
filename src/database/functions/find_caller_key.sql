-- Finds an API key by its digest, with the rate limits of its tenant. Runs as the owner because the
-- tenant is still unknown.
CREATE OR REPLACE FUNCTION find_caller_key(p_digest bytea)
RETURNS TABLE (tenant_id uuid, key_id uuid, environment text, expires_at timestamptz, revoked_at timestamptz,
               last_used_at timestamptz, now timestamptz, requests_per_minute integer, submits_per_minute integer,
               tin_checks_per_minute integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.tenant_id, k.id, k.environment, k.expires_at, k.revoked_at, k.last_used_at, service_now(),
         r.requests_per_minute, r.submits_per_minute, r.tin_checks_per_minute
    FROM api_key k LEFT JOIN tenant_rate_limit r ON r.tenant_id = k.tenant_id
   WHERE k.digest = p_digest LIMIT 1
$$;

REVOKE ALL ON FUNCTION find_caller_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_caller_key TO einvoice_app;

-- Returns when the open recovery began if the tenant has not been released from it, or null
-- (docs/decisions/0109-a-restore-is-recognised.md). Runs as the owner because einvoice_app and einvoice_operator cannot
-- read recoveries.
CREATE OR REPLACE FUNCTION waits_for_recovery_since(p_tenant_id uuid) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.began_at FROM recovery r
   WHERE r.ended_at IS NULL AND NOT EXISTS (
     SELECT FROM recovery_tenant x
      WHERE x.recovery_id = r.id AND x.tenant_id = p_tenant_id AND x.released_at IS NOT NULL)
$$;

REVOKE ALL ON FUNCTION waits_for_recovery_since FROM PUBLIC;
GRANT EXECUTE ON FUNCTION waits_for_recovery_since TO einvoice_app, einvoice_dispatcher, einvoice_operator;

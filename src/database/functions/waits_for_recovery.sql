-- Since when a queued document waits for `recover search` or `recover release`; null: it does not. Either its tenant
-- waits, or the authority has a document of its number that no operator has adopted or dismissed. The dispatcher's claims have
-- the same conditions (src/recovery/waits.sql.ts); it takes what its caller has read of its own document, and
-- returns an instant of the recovery alone.
CREATE OR REPLACE FUNCTION waits_for_recovery(
  p_tenant_id uuid, p_environment text, p_on_behalf_of text, p_document_type text, p_reference_id text)
RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT max(r.began_at) FROM recovery r
   WHERE (r.ended_at IS NULL AND NOT EXISTS (
           SELECT FROM recovery_tenant x
            WHERE x.recovery_id = r.id AND x.tenant_id = p_tenant_id AND x.released_at IS NOT NULL))
      OR EXISTS (
           SELECT FROM found_document f
            WHERE f.reference_id = p_reference_id AND f.supplier_tin = split_part(p_on_behalf_of, ':', 1)
              AND f.environment = p_environment AND coalesce(f.document_type, p_document_type) = p_document_type
              AND f.state IN ('missing', 'disputed')
              AND (f.state = 'disputed' OR f.authority_status IS NULL
                   OR f.authority_status NOT IN ('Invalid', 'Cancelled')))
$$;

REVOKE ALL ON FUNCTION waits_for_recovery FROM PUBLIC;
GRANT EXECUTE ON FUNCTION waits_for_recovery TO einvoice_app;

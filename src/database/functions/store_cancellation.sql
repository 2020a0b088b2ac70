-- Writes an accepted cancel unless its document has changed since the decision.
CREATE OR REPLACE FUNCTION store_cancellation(
  p_tenant_id uuid, p_environment text, p_cancellation_id uuid, p_now timestamptz, p_precondition jsonb, p_writes jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_document_id uuid := p_precondition->>'documentId';
BEGIN
  PERFORM FROM document
    WHERE tenant_id = p_tenant_id AND environment = p_environment AND id = v_document_id FOR UPDATE;
  IF (SELECT r.document FROM read_for_cancel(p_tenant_id, p_environment, NULL, v_document_id) r)
     IS DISTINCT FROM p_precondition THEN
    RAISE EXCEPTION 'The document of this call has changed since it was read' USING ERRCODE = '40001';
  END IF;
  INSERT INTO document_cancellation
    (tenant_id, id, environment, document_id, transaction_id, reason, deadline_at, api_key_id, user_id,
     due_at, created_at, updated_at)
  VALUES (p_tenant_id, p_cancellation_id, p_environment, v_document_id, (p_precondition->>'transactionId')::uuid,
          p_writes->>'reason', (p_writes->>'deadlineAt')::timestamptz, (p_writes->>'keyId')::uuid,
          (p_writes->>'userId')::uuid, p_now, p_now, p_now);
END $$;

REVOKE ALL ON FUNCTION store_cancellation FROM PUBLIC;
GRANT EXECUTE ON FUNCTION store_cancellation TO einvoice_app;

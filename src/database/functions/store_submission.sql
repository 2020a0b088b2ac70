-- Writes an accepted submit unless the data that it was decided on has changed, read or assumed (submit-reader.ts).
-- Documents and parents are locked in one order, so that two batches with the same documents wait for each other
-- instead of deadlocking. New documents are inserted in the same order; a number that another submit inserted meanwhile
-- violates uq_document_reference.
CREATE OR REPLACE FUNCTION store_submission(
  p_tenant_id uuid, p_environment text, p_batch_id uuid, p_now timestamptz, p_precondition jsonb, p_writes jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_on_behalf_of text := p_writes->>'onBehalfOf';
BEGIN
  IF NOT EXISTS (
       SELECT FROM tenant o
         JOIN taxpayer_verification v
           ON v.tenant_id = o.tenant_id AND v.environment = p_environment
          AND (v.tin, v.id_type, v.id_value) = (o.tin, o.id_type, o.id_value)
        WHERE o.tenant_id = p_tenant_id AND o.xmin || '/' || v.xmin = p_precondition->>'tenantVersion')
     OR p_now NOT BETWEEN service_now() - interval '5 seconds' AND service_now() + interval '5 seconds'
     OR similar_numbers(p_tenant_id, p_environment, ARRAY(SELECT jsonb_array_elements_text(p_precondition->'types')),
          ARRAY(SELECT jsonb_array_elements_text(p_precondition->'referenceIds')),
          ARRAY(SELECT jsonb_array_elements_text(p_precondition->'numberKeys'))) <> p_precondition->'similar' THEN
    RAISE EXCEPTION 'What this call was decided on has changed' USING ERRCODE = '40001';
  END IF;
  IF jsonb_array_length(p_precondition->'stored') > 0 THEN
    PERFORM d.id
       FROM (SELECT k->>'documentType' AS document_type, k->>'referenceId' AS reference_id
               FROM jsonb_array_elements(p_precondition->'stored') AS k ORDER BY 1, 2) w
      CROSS JOIN LATERAL (
        SELECT id FROM document
         WHERE tenant_id = p_tenant_id AND environment = p_environment
           AND document_type = w.document_type AND reference_id = w.reference_id
           FOR UPDATE) d;
    IF stored_documents(p_tenant_id, p_environment, ARRAY(SELECT jsonb_array_elements_text(p_precondition->'types')),
         ARRAY(SELECT jsonb_array_elements_text(p_precondition->'referenceIds')),
         ARRAY(SELECT jsonb_array_elements_text(p_precondition->'authorityUuids'))) <> p_precondition->'stored' THEN
      RAISE EXCEPTION 'The documents of this call have changed since they were read' USING ERRCODE = '40001';
    END IF;
  END IF;
  WITH input AS MATERIALIZED (
    SELECT *, (payload->>'documentDate')::date AS document_date, payload#>>'{recipient,name}' AS buyer_name,
           ((totals->>'totalPayableAmount')::numeric * 100)::bigint AS payable_sen
      FROM jsonb_to_recordset(p_writes->'documents') AS i (
      "position" integer, document_id uuid, transaction_id uuid, attempt integer,
      document_type text, reference_id text, number_key text, payload jsonb, totals jsonb, buyer_tin text,
      name_key text, parent_type text, parent_reference_id text, parent_authority_uuid text, held_until timestamptz,
      wire_bytes_max integer)),
  new_document AS (
    INSERT INTO document
      (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, number_key, document_date,
       payable_sen, created_at)
    SELECT p_tenant_id, document_id, p_environment, document_type, reference_id, transaction_id, 1,
           number_key, document_date, payable_sen, p_now
      FROM input WHERE attempt = 1 ORDER BY document_type, reference_id),
  resubmitted AS (
    UPDATE document d SET transaction_id = i.transaction_id, attempts = i.attempt, document_date = i.document_date,
           payable_sen = i.payable_sen
      FROM input i WHERE i.attempt > 1 AND d.tenant_id = p_tenant_id AND d.id = i.document_id),
  batch AS (
    INSERT INTO submission_batch
      (tenant_id, id, environment, submission_type, document_count, supplier, api_key_id, user_id, traceparent,
       created_at)
    SELECT p_tenant_id, p_batch_id, p_environment, p_writes->>'submissionType', count(*), p_writes->'supplier',
           (p_writes->>'keyId')::uuid, (p_writes->>'userId')::uuid, p_writes->>'traceparent', p_now FROM input),
  new_buyer AS (
    INSERT INTO buyer (tenant_id, environment, tin, name, name_key)
    SELECT DISTINCT p_tenant_id, p_environment, buyer_tin, buyer_name, name_key FROM input WHERE buyer_name IS NOT NULL
     ORDER BY buyer_tin, buyer_name
    ON CONFLICT DO NOTHING RETURNING tin, name_key),
  new_word AS (
    INSERT INTO buyer_word (tenant_id, environment, word, tin)
    SELECT DISTINCT p_tenant_id, p_environment, word, tin
      FROM new_buyer
     -- As a table, each name would be planned as a thousand words.
     CROSS JOIN LATERAL unnest(string_to_array(name_key, ' ')) AS word
     ORDER BY word, tin
    ON CONFLICT DO NOTHING),
  queue AS (
    INSERT INTO tenant_queue (tenant_id, environment, operation, served_at)
    VALUES (p_tenant_id, p_environment, 'submit', p_now) ON CONFLICT DO NOTHING)
  INSERT INTO document_transaction
    (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
     payload, totals, buyer_tin, on_behalf_of, parent_type, parent_reference_id, parent_authority_uuid, held_until,
     wire_bytes_max, due_at, created_at, updated_at)
  SELECT p_tenant_id, transaction_id, p_environment, document_id, p_batch_id, "position", attempt, document_type,
         reference_id, payload, totals, buyer_tin, v_on_behalf_of, parent_type, parent_reference_id,
         parent_authority_uuid, held_until, wire_bytes_max, p_now, p_now, p_now
    FROM input;
END $$;

REVOKE ALL ON FUNCTION store_submission FROM PUBLIC;
GRANT EXECUTE ON FUNCTION store_submission TO einvoice_app;

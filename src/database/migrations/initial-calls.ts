/**
 * The SQL functions of an idempotent call, submit or cancel: one that reads what the call is decided on, in one
 * snapshot, and one that accepts it, in one transaction (docs/decisions/0012). In the frozen SQL `D3` is
 * docs/rules.md#order-of-checks, `D6` #credit-notes, `D11` #cancellation and `D13` #idempotency.
 */
export const INITIAL_CALLS = /* sql */ `
-- Where the current attempts of those documents stand that the tenant has already, of the wanted ones and of those with
-- the wanted authority uuids. Each is looked up by itself: a plain join leaves the planner free to read all documents of
-- the tenant, which it does while a table's statistics lag behind (measured: 1.7 s instead of 2 ms for 100 documents
-- among 9,000).
CREATE FUNCTION known_documents(
  p_tenant_id uuid, p_environment text, p_types text[], p_reference_ids text[], p_authority_uuids text[])
RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  WITH wanted AS (
    SELECT * FROM unnest(p_types, p_reference_ids) AS w (document_type, reference_id)
    UNION
    SELECT t.document_type, t.reference_id
      FROM unnest(p_authority_uuids) AS u (authority_uuid)
     CROSS JOIN LATERAL (
       SELECT document_type, reference_id FROM document_transaction
        WHERE tenant_id = p_tenant_id AND environment = p_environment AND authority_uuid = u.authority_uuid OFFSET 0) t)
  SELECT coalesce(jsonb_agg(jsonb_build_object(
           'documentId', d.id, 'documentType', d.document_type, 'referenceId', d.reference_id, 'attempts', d.attempts,
           'submissionBatchId', t.submission_batch_id, 'submissionStatus', t.submission_status,
           'authorityStatus', t.authority_status, 'authorityUuid', t.authority_uuid, 'buyerTin', t.buyer_tin,
           'hasCancellationUnderWay', EXISTS (
             SELECT FROM document_cancellation c
              WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status IN ('Queued', 'Processing')))
           ORDER BY d.document_type, d.reference_id), '[]')
    FROM wanted w
   CROSS JOIN LATERAL (
     SELECT * FROM document
      WHERE tenant_id = p_tenant_id AND environment = p_environment
        AND document_type = w.document_type AND reference_id = w.reference_id OFFSET 0) d
    JOIN LATERAL (
     SELECT * FROM document_transaction WHERE tenant_id = p_tenant_id AND id = d.transaction_id OFFSET 0) t ON true
$$;

-- Where a document stands as its cancellation is decided (D11); null when the tenant has none of this id. The credit
-- notes that refer to it and have not ended are live (D6).
CREATE FUNCTION cancellable_document(p_tenant_id uuid, p_environment text, p_document_id uuid)
RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT jsonb_build_object(
           'documentId', d.id, 'transactionId', t.id, 'submissionStatus', t.submission_status,
           'authorityStatus', t.authority_status, 'validatedAt', t.validated_at,
           'cancellationUnderWay', (
             SELECT c.id FROM document_cancellation c
              WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status IN ('Queued', 'Processing')
              LIMIT 1),
           'referencingDocuments', ARRAY(
             SELECT n.reference_id FROM document_transaction n
               JOIN document nd ON nd.tenant_id = n.tenant_id AND nd.transaction_id = n.id AND nd.id = n.document_id
              WHERE n.tenant_id = t.tenant_id AND n.environment = t.environment
                AND n.parent_reference_id IS NOT NULL
                AND (n.parent_authority_uuid = t.authority_uuid
                     OR (n.parent_authority_uuid IS NULL AND n.parent_reference_id = t.reference_id))
                AND n.submission_status <> 'SubmitFailed'
                AND n.authority_status IS DISTINCT FROM 'Invalid' AND n.authority_status IS DISTINCT FROM 'Cancelled'
              ORDER BY n.id LIMIT 100))
    FROM document d
    JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.id = d.transaction_id
   WHERE d.tenant_id = p_tenant_id AND d.environment = p_environment AND d.id = p_document_id
$$;

-- What a submit is decided on. STABLE, hence one snapshot: a call that commits meanwhile is seen with its answer and its
-- documents, or with neither. Seen with the documents alone, a client's retry would be told that they are duplicates.
CREATE FUNCTION read_for_submit(
  p_tenant_id uuid, p_environment text, p_key text, p_types text[], p_reference_ids text[], p_authority_uuids text[])
RETURNS TABLE (now timestamptz, body_hash bytea, answer_status integer, answer text, tenant jsonb, known jsonb)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  now := service_now();
  SELECT r.body_hash, r.answer_status, r.answer INTO body_hash, answer_status, answer
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = 'submit' AND r.key = p_key;
  SELECT to_jsonb(o) INTO tenant FROM tenant o WHERE o.tenant_id = p_tenant_id;
  known := '[]';
  IF cardinality(p_types) + cardinality(p_authority_uuids) > 0 THEN
    known := known_documents(p_tenant_id, p_environment, p_types, p_reference_ids, p_authority_uuids);
  END IF;
  RETURN NEXT;
END $$;

-- What a cancel is decided on, in one snapshot as well.
CREATE FUNCTION read_for_cancel(p_tenant_id uuid, p_environment text, p_key text, p_document_id uuid)
RETURNS TABLE (now timestamptz, body_hash bytea, answer_status integer, answer text, tin text, document jsonb)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  now := service_now();
  SELECT r.body_hash, r.answer_status, r.answer INTO body_hash, answer_status, answer
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = 'cancel' AND r.key = p_key;
  SELECT o.tin INTO tin FROM tenant o WHERE o.tenant_id = p_tenant_id;
  document := cancellable_document(p_tenant_id, p_environment, p_document_id);
  RETURN NEXT;
END $$;

-- What an accepted submit writes: its batch, its documents and their transactions, queued. The documents that it was
-- decided on are locked in one order for every transaction, documents and parents together, so that two batches with the
-- same documents in opposite order wait for each other instead of deadlocking. Once they are locked nobody can change
-- where they stand; if it is not what was read any more, the call must be decided anew. New documents are inserted in
-- the order of the locks; a pair that another call has inserted breaks uq_document_reference, and is found then.
CREATE FUNCTION store_submission(
  p_tenant_id uuid, p_environment text, p_batch_id uuid, p_now timestamptz, p_ground jsonb, p_work jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_types text[] := ARRAY(SELECT jsonb_array_elements_text(p_ground->'types'));
  v_reference_ids text[] := ARRAY(SELECT jsonb_array_elements_text(p_ground->'referenceIds'));
  v_authority_uuids text[] := ARRAY(SELECT jsonb_array_elements_text(p_ground->'authorityUuids'));
BEGIN
  IF jsonb_array_length(p_ground->'known') > 0 THEN
    PERFORM d.id
       FROM (SELECT k->>'documentType' AS document_type, k->>'referenceId' AS reference_id
               FROM jsonb_array_elements(p_ground->'known') AS k ORDER BY 1, 2) w
      CROSS JOIN LATERAL (
        SELECT id FROM document
         WHERE tenant_id = p_tenant_id AND environment = p_environment
           AND document_type = w.document_type AND reference_id = w.reference_id
           FOR UPDATE) d;
    IF known_documents(p_tenant_id, p_environment, v_types, v_reference_ids, v_authority_uuids) <> p_ground->'known' THEN
      RAISE EXCEPTION 'The documents of this call have changed since they were read' USING ERRCODE = '40001';
    END IF;
  END IF;
  WITH input AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(p_work->'documents') AS i (
      "position" integer, document_id uuid, transaction_id uuid, attempt integer,
      document_type text, reference_id text, payload jsonb, totals jsonb, buyer_tin text,
      parent_reference_id text, parent_authority_uuid text, held_until timestamptz, wire_bytes_max integer)),
  new_document AS (
    INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
    SELECT p_tenant_id, document_id, p_environment, document_type, reference_id, transaction_id, 1, p_now
      FROM input WHERE attempt = 1 ORDER BY document_type, reference_id),
  resubmitted AS (
    UPDATE document d SET transaction_id = i.transaction_id, attempts = i.attempt
      FROM input i WHERE i.attempt > 1 AND d.tenant_id = p_tenant_id AND d.id = i.document_id),
  batch AS (
    INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
    SELECT p_tenant_id, p_batch_id, p_environment, p_work->>'submissionType', count(*), p_now FROM input),
  lane AS (
    INSERT INTO dispatch_lane (tenant_id, environment, operation, served_at)
    VALUES (p_tenant_id, p_environment, 'submit', p_now) ON CONFLICT DO NOTHING)
  INSERT INTO document_transaction
    (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
     payload, totals, buyer_tin, parent_reference_id, parent_authority_uuid, held_until, wire_bytes_max,
     due_at, created_at, updated_at)
  SELECT p_tenant_id, transaction_id, p_environment, document_id, p_batch_id, "position", attempt, document_type,
         reference_id, payload, totals, buyer_tin, parent_reference_id, parent_authority_uuid, held_until,
         wire_bytes_max, p_now, p_now, p_now
    FROM input;
END $$;

-- What an accepted cancel writes, after the same look at what it was decided on.
CREATE FUNCTION store_cancellation(
  p_tenant_id uuid, p_environment text, p_cancellation_id uuid, p_now timestamptz, p_ground jsonb, p_work jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_document_id uuid := p_ground->>'documentId';
BEGIN
  PERFORM FROM document
    WHERE tenant_id = p_tenant_id AND environment = p_environment AND id = v_document_id FOR UPDATE;
  IF cancellable_document(p_tenant_id, p_environment, v_document_id) IS DISTINCT FROM p_ground THEN
    RAISE EXCEPTION 'The document of this call has changed since it was read' USING ERRCODE = '40001';
  END IF;
  INSERT INTO document_cancellation
    (tenant_id, id, environment, document_id, transaction_id, reason, deadline_at, due_at, created_at, updated_at)
  VALUES (p_tenant_id, p_cancellation_id, p_environment, v_document_id, (p_ground->>'transactionId')::uuid,
          p_work->>'reason', (p_work->>'deadlineAt')::timestamptz, p_now, p_now, p_now);
END $$;

-- Accepts a call that was decided to be accepted, all of it or nothing (D3, D13): the lock of its idempotency key, a
-- second look for an answer, its rows, its charge, and the record of its answer. One statement is one transaction, so no
-- lock outlives it, and the account, which the tenant's calls wait for, is locked for as long as the database needs.
-- Without is_locked another call with this key is under way, and nothing was done; with an answer another call has
-- given it meanwhile, and nothing was done. The look-up follows the lock in a statement of its own, which sees what the
-- lock's last holder has committed.
-- Raises EI402 with what can be spent as its detail when the credits do not suffice.
CREATE FUNCTION accept_call(
  p_tenant_id uuid, p_environment text, p_operation text, p_key text, p_body_hash bytea, p_status integer,
  p_answer text, p_now timestamptz, p_credits integer, p_cause_id uuid, p_ground jsonb, p_work jsonb)
RETURNS TABLE (is_locked boolean, body_hash bytea, answer_status integer, answer text, credits_left integer)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  is_locked := pg_try_advisory_xact_lock(
    hashtextextended(p_tenant_id || '|' || p_environment || '|' || p_operation || '|' || p_key, 0));
  SELECT r.body_hash, r.answer_status, r.answer INTO body_hash, answer_status, answer
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = p_operation AND r.key = p_key;
  IF NOT is_locked OR answer IS NOT NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;
  IF p_operation = 'submit' THEN
    PERFORM store_submission(p_tenant_id, p_environment, p_cause_id, p_now, p_ground, p_work);
  ELSE
    PERFORM store_cancellation(p_tenant_id, p_environment, p_cause_id, p_now, p_ground, p_work);
  END IF;
  INSERT INTO idempotency_record
    (tenant_id, environment, operation, key, body_hash, answer_status, answer, created_at)
  VALUES (p_tenant_id, p_environment, p_operation, p_key, p_body_hash, p_status, p_answer, p_now);
  credits_left := charge_credits(p_tenant_id, p_credits, p_environment, p_operation, p_cause_id);
  IF credits_left < 0 THEN
    RAISE EXCEPTION 'The credits do not suffice' USING ERRCODE = 'EI402', DETAIL = credits_left + p_credits;
  END IF;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION
  known_documents(uuid, text, text[], text[], text[]), cancellable_document(uuid, text, uuid),
  read_for_submit(uuid, text, text, text[], text[], text[]), read_for_cancel(uuid, text, text, uuid),
  store_submission(uuid, text, uuid, timestamptz, jsonb, jsonb),
  store_cancellation(uuid, text, uuid, timestamptz, jsonb, jsonb),
  accept_call(uuid, text, text, text, bytea, integer, text, timestamptz, integer, uuid, jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  known_documents(uuid, text, text[], text[], text[]), cancellable_document(uuid, text, uuid),
  read_for_submit(uuid, text, text, text[], text[], text[]), read_for_cancel(uuid, text, text, uuid),
  store_submission(uuid, text, uuid, timestamptz, jsonb, jsonb),
  store_cancellation(uuid, text, uuid, timestamptz, jsonb, jsonb),
  accept_call(uuid, text, text, text, bytea, integer, text, timestamptz, integer, uuid, jsonb, jsonb) TO einvoice_app;
`;

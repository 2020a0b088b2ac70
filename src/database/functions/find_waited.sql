-- What the held polls of a process wait for (docs/decisions/0079-held-polls-share-one-statement.md): which of these batches
-- are in another state than the given one, and which of these keys have ended, each by its position in the list. Runs as
-- the owner, because it is asked for many tenants at once; so it takes ids and digests of both kinds, and returns no
-- value of any row. `describeState` in src/status/ computes the same digest from the rows of read_submission_status.
CREATE OR REPLACE FUNCTION find_waited(
  p_batch_tenants uuid[], p_batches uuid[], p_states uuid[], p_key_tenants uuid[], p_keys uuid[],
  p_environments text[], p_client_ids text[], p_failures_to_open integer)
RETURNS TABLE (changed_batches integer[], ended_keys integer[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH clock AS MATERIALIZED (SELECT service_now() AS now),
  recovered AS MATERIALIZED (SELECT has_recovered() AS is_so),
  budget AS MATERIALIZED (
    SELECT c.environment, p.blocked_reason
      FROM unnest(p_environments, p_client_ids) AS c (environment, client_id)
      JOIN call_budget p ON p.client_id = c.client_id AND p.environment = c.environment AND p.api = 'submit'
     WHERE p.blocked_until > (SELECT now FROM clock) OR p.failures >= p_failures_to_open)
  SELECT
    (SELECT coalesce(array_agg(w.position::integer), '{}')
       FROM unnest(p_batch_tenants, p_batches, p_states) WITH ORDINALITY AS w (tenant_id, batch_id, state, position)
      CROSS JOIN LATERAL (
        SELECT md5(string_agg(
                 t.version || '/'
                 -- Only what was validated can be cancelled.
                 || CASE WHEN t.authority_status <> 'Submitted' THEN coalesce((
                      SELECT c.id || c.status FROM document_cancellation c
                       WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id ORDER BY c.id DESC LIMIT 1), '')
                    ELSE '' END
                 || '/'
                 || CASE
                      WHEN t.submission_status <> 'Queued' THEN CASE WHEN EXISTS (
                        SELECT FROM authority_submission s
                         WHERE s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id AND s.state = 'unknown')
                        THEN 'in_doubt' ELSE '' END
                      WHEN t.held_until IS NOT NULL THEN 'held'
                      WHEN (SELECT is_so FROM recovered) AND waits_for_recovery(
                             t.tenant_id, t.environment, t.on_behalf_of, t.document_type, t.reference_id) IS NOT NULL
                        THEN 'in_doubt'
                      ELSE coalesce(
                        CASE WHEN d.blocked_until > (SELECT now FROM clock) THEN d.blocked_reason
                             WHEN d.unsendable_reason IS NOT NULL THEN d.unsendable_reason
                             WHEN t.refusals = 0 AND t.due_at > (SELECT now FROM clock) THEN 'not_appointed' END,
                        (SELECT p.blocked_reason FROM budget p WHERE p.environment = t.environment), '') END,
                 ';' ORDER BY t.position))::uuid AS state
          FROM document_transaction t
          LEFT JOIN tenant_queue d
            ON d.tenant_id = t.tenant_id AND d.environment = t.environment AND d.operation = 'submit'
         WHERE t.tenant_id = w.tenant_id AND t.submission_batch_id = w.batch_id) s
      WHERE s.state IS DISTINCT FROM w.state),
    (SELECT coalesce(array_agg(w.position::integer), '{}')
       FROM unnest(p_key_tenants, p_keys) WITH ORDINALITY AS w (tenant_id, key_id, position)
      WHERE NOT EXISTS (
        SELECT FROM api_key k
         WHERE k.tenant_id = w.tenant_id AND k.id = w.key_id AND k.revoked_at IS NULL
           AND (k.expires_at IS NULL OR k.expires_at > (SELECT now FROM clock))))
$$;

REVOKE ALL ON FUNCTION find_waited FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_waited TO einvoice_app;

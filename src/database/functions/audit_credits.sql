-- Audits the credits in one snapshot and returns a row per deviation (docs/rules.md#credits). Covers one tenant or all,
-- and everything or only the rows since p_since. New rows are found by indexed values: entries by sequence; batches,
-- cancellations and lots by their ids, which begin with the time. Runs as the owner because it crosses tenants.
CREATE OR REPLACE FUNCTION audit_credits(p_tenant_id uuid DEFAULT NULL, p_since timestamptz DEFAULT '-infinity')
RETURNS TABLE (tenant_id uuid, deviation text, subject text, expected text, found text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan SET work_mem = '64MB' SET jit = off AS $$
  WITH account AS MATERIALIZED (
    SELECT t.tenant_id, coalesce(a.balance, 0) AS balance, coalesce(a.entry_sequence, 0) AS entry_sequence,
           coalesce(e.sequence, 0) AS earlier_sequence, coalesce(e.balance_after, 0) AS earlier_balance,
           CASE WHEN p_since = '-infinity' THEN '00000000-0000-0000-0000-000000000000'
                ELSE lpad(to_hex((extract(epoch FROM p_since) * 1000)::bigint), 12, '0') || repeat('0', 20)
           END::uuid AS first_id
      FROM tenant t
      LEFT JOIN credit_account a ON a.tenant_id = t.tenant_id
      LEFT JOIN LATERAL (
        SELECT x.sequence, x.balance_after FROM credit_entry x
         WHERE p_since > '-infinity' AND x.tenant_id = t.tenant_id AND x.created_at < p_since
         ORDER BY x.sequence DESC LIMIT 1) e ON true
     WHERE p_tenant_id IS NULL OR t.tenant_id = p_tenant_id),
  -- Cuts the ids out of the text: a regular expression takes minutes for a million responses, and one malformed
  -- response would fail a JSON cast. OFFSET 0 prevents that each id is cut out three times.
  response AS MATERIALIZED (
    SELECT i.tenant_id, i.operation, i.environment,
           CASE WHEN named.id LIKE '________-____-____-____-____________'
                 AND named.id ~ '^[0-9a-f-]*$' THEN named.id::uuid END AS cause_id,
           CASE i.operation
             WHEN 'submit' THEN
               (length(i.response) - length(replace(i.response, '"documentId":"', ''))) / length('"documentId":"')
             ELSE 1
           END AS credits
      FROM account a
      JOIN idempotency_record i ON i.tenant_id = a.tenant_id AND i.created_at >= p_since
     CROSS JOIN LATERAL (
       VALUES (CASE i.operation WHEN 'submit' THEN '"submissionBatchId":"' ELSE '"transactionId":"' END)) member (name)
     CROSS JOIN LATERAL (
       SELECT substr(i.response, strpos(i.response, member.name) + length(member.name), 36) AS id OFFSET 0) named)

  -- Consecutive entries have consecutive sequences and matching balances.
  SELECT e.tenant_id, x.deviation, 'entry ' || e.sequence, x.expected::text, x.found::text
    FROM (SELECT n.tenant_id, n.sequence, n.balance_after,
                 lag(n.sequence, 1, a.earlier_sequence) OVER chain + 1 AS next_sequence,
                 lag(n.balance_after, 1, a.earlier_balance) OVER chain::bigint + n.amount AS next_balance
            FROM account a
            JOIN credit_entry n ON n.tenant_id = a.tenant_id AND n.sequence > a.earlier_sequence
          WINDOW chain AS (PARTITION BY n.tenant_id ORDER BY n.sequence)) e
   CROSS JOIN LATERAL (VALUES
     ('sequence', e.next_sequence, e.sequence), ('balance_after', e.next_balance, e.balance_after),
     ('balance_after below zero', greatest(e.balance_after, 0), e.balance_after)) x (deviation, expected, found)
   WHERE (e.next_sequence <> e.sequence OR e.next_balance <> e.balance_after OR e.balance_after < 0)
     AND x.expected <> x.found

  -- The account equals the sums of its entries and lots.
  UNION ALL
  SELECT a.tenant_id, x.deviation, 'account', x.expected::text, x.found::text
    FROM account a
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(n.amount), 0) AS amount, coalesce(max(n.sequence), a.earlier_sequence) AS sequence,
            coalesce(sum(n.amount) FILTER (WHERE n.kind <> 'grant'), 0) AS spent
       FROM credit_entry n WHERE n.tenant_id = a.tenant_id AND n.sequence > a.earlier_sequence) e
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(remaining), 0) AS remaining, coalesce(sum(granted), 0) AS granted
       FROM credit_lot WHERE credit_lot.tenant_id = a.tenant_id) l
   CROSS JOIN LATERAL (VALUES
     ('balance against entries', a.earlier_balance + e.amount, a.balance),
     ('balance against lots', l.remaining, a.balance),
     ('balance against granted, consumed and expired',
      CASE WHEN p_since = '-infinity' THEN l.granted + e.spent ELSE a.balance END, a.balance),
     ('entry_sequence', e.sequence, a.entry_sequence),
     ('balance below zero', greatest(a.balance, 0), a.balance)) x (deviation, expected, found)
   WHERE x.expected <> x.found
  -- Sandbox credits have paid only for sandbox requests.
  UNION ALL
  SELECT a.tenant_id, 'credits of the sandbox', 'account', 'at most ' || e.spent, l.spent::text
    FROM account a
   CROSS JOIN LATERAL (
     SELECT coalesce(-sum(n.amount) FILTER (WHERE n.kind IN ('submit', 'cancel')), 0) AS spent,
            coalesce(-sum(n.amount) FILTER (WHERE n.kind = 'expire'), 0) AS expired
       FROM credit_entry n WHERE n.tenant_id = a.tenant_id AND n.environment = 'sandbox') e
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(granted - remaining), 0) - e.expired AS spent
       FROM credit_lot WHERE credit_lot.tenant_id = a.tenant_id AND credit_lot.environment = 'sandbox') l
   WHERE p_since = '-infinity' AND l.spent > e.spent
  UNION ALL
  SELECT l.tenant_id, 'remaining of a lot', 'lot ' || l.id, '0 to ' || l.granted, l.remaining::text
    FROM account a JOIN credit_lot l ON l.tenant_id = a.tenant_id
   WHERE l.remaining NOT BETWEEN 0 AND l.granted

  -- The amount of each entry matches its cause.
  UNION ALL
  SELECT e.tenant_id, 'cause of an entry', 'entry ' || e.sequence,
         coalesce(e.due || coalesce(' in ' || e.due_in, ''), 'no ' || e.kind || ' without its cause ' || e.cause_id),
         e.amount || coalesce(' in ' || e.environment, '')
    FROM (SELECT n.*, coalesce(b.environment, c.environment, l.environment) AS due_in,
                 CASE n.kind
                   WHEN 'submit' THEN -b.document_count
                   WHEN 'cancel' THEN CASE WHEN c.id IS NOT NULL THEN -1 END
                   WHEN 'grant' THEN l.granted
                   WHEN 'expire' THEN CASE WHEN l.remaining = 0 AND l.expires_at <= n.created_at
                                            AND n.amount BETWEEN -l.granted AND -1 THEN n.amount END
                 END AS due
            FROM account a
            JOIN credit_entry n ON n.tenant_id = a.tenant_id AND n.sequence > a.earlier_sequence
            LEFT JOIN submission_batch b ON b.tenant_id = n.tenant_id AND b.id = n.cause_id AND n.kind = 'submit'
            LEFT JOIN document_cancellation c ON c.tenant_id = n.tenant_id AND c.id = n.cause_id AND n.kind = 'cancel'
            LEFT JOIN credit_lot l ON l.tenant_id = n.tenant_id AND l.id = n.cause_id AND n.kind IN ('grant', 'expire')
         ) e
   WHERE e.due IS DISTINCT FROM e.amount OR e.due_in IS DISTINCT FROM e.environment

  -- Each cause has its entry; uq_credit_entry_cause prevents a second one.
  UNION ALL
  SELECT c.tenant_id, 'cause without its entry', c.kind || ' ' || c.id, c.credits::text, '0'
    FROM (SELECT a.tenant_id, 'submit' AS kind, b.id, -b.document_count AS credits
            FROM account a JOIN submission_batch b ON b.tenant_id = a.tenant_id AND b.id >= a.first_id
           UNION ALL
          SELECT a.tenant_id, 'cancel', c.id, -1
            FROM account a JOIN document_cancellation c ON c.tenant_id = a.tenant_id AND c.id >= a.first_id
           UNION ALL
          SELECT a.tenant_id, 'grant', l.id, l.granted
            FROM account a JOIN credit_lot l ON l.tenant_id = a.tenant_id AND l.id >= a.first_id) c
   WHERE NOT EXISTS (
     SELECT FROM credit_entry n WHERE n.tenant_id = c.tenant_id AND n.kind = c.kind AND n.cause_id = c.id)
  UNION ALL
  SELECT b.tenant_id, 'documents of a batch', 'batch ' || b.id, coalesce(d.documents, 0)::text, b.document_count::text
    FROM account a
    JOIN submission_batch b ON b.tenant_id = a.tenant_id AND b.id >= a.first_id
    LEFT JOIN (
      SELECT s.tenant_id, t.id, t.documents
        FROM account s
       CROSS JOIN LATERAL (
         SELECT submission_batch_id AS id, count(*) AS documents FROM document_transaction
          WHERE document_transaction.tenant_id = s.tenant_id AND submission_batch_id >= s.first_id GROUP BY 1) t
      ) d ON d.tenant_id = b.tenant_id AND d.id = b.id
   WHERE d.documents IS DISTINCT FROM b.document_count

  -- Each stored response matches its charge, and each charge has a response until it is deleted after 30 days.
  UNION ALL
  SELECT r.tenant_id, 'response of a call', r.operation || ' ' || coalesce(r.cause_id::text, 'without a cause'),
         -r.credits || ' in ' || r.environment, coalesce(n.amount || ' in ' || n.environment, '0')
    FROM response r
    LEFT JOIN credit_entry n ON n.tenant_id = r.tenant_id AND n.kind = r.operation AND n.cause_id = r.cause_id
   WHERE n.amount IS DISTINCT FROM -r.credits OR n.environment IS DISTINCT FROM r.environment
  UNION ALL
  SELECT n.tenant_id, 'charge without its response', 'entry ' || n.sequence,
         'a response that names ' || n.cause_id, 'none'
    FROM account a
    JOIN credit_entry n ON n.tenant_id = a.tenant_id
    LEFT JOIN response r ON r.tenant_id = n.tenant_id AND r.operation = n.kind AND r.cause_id = n.cause_id
   WHERE p_since = '-infinity' AND n.kind IN ('submit', 'cancel')
     AND n.created_at > (SELECT service_now() - interval '29 days') AND r.cause_id IS NULL
$$;

REVOKE ALL ON FUNCTION audit_credits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_credits TO einvoice_dispatcher;

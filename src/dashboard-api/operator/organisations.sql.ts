import type { EntityManager } from 'typeorm';

export interface OrganisationRow {
  readonly tenantId: string;
  /** The row of the tenant, by its columns. */
  readonly tenant: Readonly<Record<string, unknown>>;
  /** Without those for the sandbox alone. */
  readonly balance: number;
  readonly documentsLast30Days: number;
  readonly lastActivityAt: Date | null;
  /** What an operator has set; null: the usual figure. */
  readonly requests: number | null;
  readonly submits: number | null;
  readonly tinChecks: number | null;
}

// A batch's id begins with its time: those of the last thirty days are the end of the index.
const ORGANISATIONS = /* sql */ `
  WITH page AS MATERIALIZED (
    SELECT t.tenant_id, to_jsonb(t) AS tenant FROM tenant t
     WHERE ($1::text IS NULL OR t.name ILIKE $1 OR t.tin ILIKE $1 OR t.tenant_id::text ILIKE $1)
       AND ($2::uuid IS NULL OR t.tenant_id < $2)
     ORDER BY t.tenant_id DESC LIMIT $3)
  SELECT t.tenant_id AS "tenantId", t.tenant, credit.balance, recent.documents AS "documentsLast30Days",
         latest.created_at AS "lastActivityAt", own.requests_per_minute AS requests,
         own.submits_per_minute AS submits, own.tin_checks_per_minute AS "tinChecks"
    FROM page t
    LEFT JOIN tenant_rate_limit own ON own.tenant_id = t.tenant_id
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(remaining), 0)::integer AS balance FROM credit_lot l
      WHERE l.tenant_id = t.tenant_id AND l.remaining > 0 AND l.expires_at > service_now()
        AND l.environment IS NULL) credit
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(document_count), 0)::integer AS documents FROM submission_batch b
      WHERE b.tenant_id = t.tenant_id AND b.id >= (
        lpad(to_hex((extract(epoch FROM service_now() - interval '30 days') * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid) recent
    LEFT JOIN LATERAL (
     SELECT b.created_at FROM submission_batch b WHERE b.tenant_id = t.tenant_id ORDER BY b.id DESC LIMIT 1) latest ON true
   ORDER BY t.tenant_id DESC`;

/** A page's organisations and one more, the newest first; `search` is a part of the name, the TIN or the id. */
export function listOrganisations(
  manager: EntityManager,
  { search, after, count }: { search: string | null; after: string | null; count: number },
): Promise<OrganisationRow[]> {
  const pattern = search === null ? null : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return manager.query<OrganisationRow[]>(ORGANISATIONS, [pattern, after, count]);
}

/**
 * Documents that need action are those of failed_document that nobody has dismissed: their last attempt failed. All of
 * these read indexes that hold nothing else.
 */
const OPEN = /* sql */ `
  SELECT cause, transaction_id FROM failed_document
   WHERE tenant_id = $1 AND environment = $2 AND dismissed_at IS NULL`;

/**
 * $1 tenant, $2 environment, $3 documents to look at, $4 causes to name, $5 documents to name of each: the causes by
 * which the latest of these failed, those of most documents first, each with the words of its latest.
 */
export const READ_CAUSES = /* sql */ `
WITH open AS MATERIALIZED (${OPEN} ORDER BY transaction_id DESC LIMIT $3::integer),
grouped AS MATERIALIZED (
  SELECT cause, count(*)::integer AS documents, (array_agg(transaction_id ORDER BY transaction_id DESC))[1:$5::integer] AS ids
    FROM open GROUP BY cause ORDER BY documents DESC, cause LIMIT $4::integer)
SELECT cause, documents, named.latest, named.examples
  FROM grouped
 CROSS JOIN LATERAL (
   SELECT (array_agg(t.errors->0 ORDER BY t.id DESC))[1] AS latest,
          jsonb_agg(jsonb_build_object('transactionId', t.id, 'referenceId', t.reference_id) ORDER BY t.id DESC) AS examples
     FROM unnest(grouped.ids) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT id, reference_id, errors FROM document_transaction WHERE tenant_id = $1 AND id = wanted.id OFFSET 0) t
   ) named
 ORDER BY documents DESC, cause`;

export interface CauseRow {
  readonly cause: string;
  readonly documents: number;
  /** Null for an attempt that failed without an error. */
  readonly latest: {
    readonly message: string;
    readonly hint: string | null;
    readonly authorityCode: string | null;
    readonly authorityMessage: string | null;
  } | null;
  readonly examples: readonly { readonly transactionId: string; readonly referenceId: string }[];
}

/** $1 tenant, $2 environment, $3 how many are counted of each at most. */
export const COUNT_FAILED = /* sql */ `
SELECT (SELECT count(*) FROM (${OPEN} LIMIT $3::integer) AS open)::integer AS documents,
       (SELECT count(*) FROM (
          SELECT FROM failed_document
           WHERE tenant_id = $1 AND environment = $2 AND dismissed_at IS NOT NULL LIMIT $3::integer) AS dismissed)::integer
         AS dismissed`;

export interface FailedCountRow {
  readonly documents: number;
  readonly dismissed: number;
}

/**
 * $1 tenant, $2 environment, $3 attempts, $4 now, $5 the user, $6 the reason. What was submitted again or dismissed
 * meanwhile is left alone.
 */
export const DISMISS = /* sql */ `
UPDATE failed_document f SET dismissed_at = $4, dismissed_by = $5, dismissal_reason = $6
 WHERE tenant_id = $1 AND environment = $2 AND transaction_id = ANY ($3::uuid[]) AND dismissed_at IS NULL
RETURNING transaction_id AS "transactionId",
          (SELECT reference_id FROM document d WHERE d.tenant_id = f.tenant_id AND d.id = f.document_id) AS "referenceId"`;

/** $1 tenant, $2 environment, $3 attempt. */
export const TAKE_BACK = /* sql */ `
UPDATE failed_document f SET dismissed_at = NULL, dismissed_by = NULL, dismissal_reason = NULL
 WHERE tenant_id = $1 AND environment = $2 AND transaction_id = $3 AND dismissed_at IS NOT NULL
RETURNING transaction_id AS "transactionId",
          (SELECT reference_id FROM document d WHERE d.tenant_id = f.tenant_id AND d.id = f.document_id) AS "referenceId"`;

export interface ChangedRow {
  readonly transactionId: string;
  readonly referenceId: string;
}

import type { EntityManager } from 'typeorm';
import type { Caller } from '../database/in-tenant.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { hasInvisible } from '../documents/invisible.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import type { ReadRequest } from '../idempotency/idempotency.service.js';
import type { TenantRow } from '../tenants/tenant-row.js';
import { type CreditedParent, listCreditedParents } from './credited-parents.js';
import type { StoredDocument } from './stored-documents.js';
import type { PreparedDocument } from './prepare-submit.js';
import { listComparedNumbers, type StoredReference } from './similar-references.js';
import type { ParsedDocument } from './parsed-document.js';

/** Which documents of the tenant a submit asks for: by type and reference, in step, and by the authority's uuid. */
export interface Wanted {
  readonly types: readonly string[];
  readonly referenceIds: readonly string[];
  readonly authorityUuids: readonly string[];
}

type Read = ReadRequest & {
  readonly tenant: TenantRow;
  readonly stored: readonly StoredDocument[];
  readonly similar: readonly StoredReference[];
};
type ReadWithParents = Read & { readonly credited: readonly CreditedParent[] };

/** What their notes credit is only read for a request with credit notes. */
export type ReadForSubmit = Read & Partial<ReadWithParents>;

/** What a submit asks the database about. */
interface ToRead {
  /** A dry run has none. */
  readonly key: string | null;
  readonly wanted: Wanted;
  readonly documents: readonly Pick<PreparedDocument, 'document' | 'numberKey' | 'totals'>[];
}

/**
 * Documents of the tenant whose number has the same search key as one of the given numbers, but differs from it: at most
 * ten per number. OFFSET 0 and the number key alone make the plan use ix_document_number, even if it was made while the
 * table was empty. This subquery and the next are evaluated for the row of read_for_submit, which has set the tenant.
 */
const SIMILAR = /* sql */ `
  SELECT coalesce(jsonb_agg(jsonb_build_object('position', n.position - 1, 'referenceId', s.reference_id)), '[]')
    FROM unnest($7::text[], $8::text[], $9::text[]) WITH ORDINALITY
           AS n (document_type, reference_id, number_key, position)
   CROSS JOIN LATERAL (
     SELECT d.reference_id FROM (
       SELECT document_type, reference_id FROM document
        WHERE tenant_id = $1 AND environment = $2 AND number_key = n.number_key COLLATE "C" OFFSET 0) d
      WHERE d.document_type = n.document_type AND d.reference_id <> n.reference_id LIMIT 10) s`;

const readWith = (more: string): string => /* sql */ `
  SELECT now, body_hash, response_status, response, tenant, stored, (${SIMILAR}) AS similar${more}
    FROM read_for_submit($1, $2, $3, $4, $5, $6)`;
const READ = readWith('');
/**
 * Amounts of the parents of credit notes, and what their notes credit already, in sen: of each of these numbers that the
 * tenant has. Null for a parent of more than 1,000 notes, so that the read has a bound. Notes that ended Invalid,
 * Cancelled or SubmitFailed do not count. Notes are looked up for one uuid at a time, as in read_for_cancel.
 */
const CREDITED_PARENTS = /* sql */ `
  SELECT coalesce(jsonb_agg(jsonb_build_object(
           'documentType', p.document_type, 'referenceId', p.reference_id, 'documentDate', p.document_date,
           'payableSen', ((p.totals->>'totalPayableAmount')::numeric * 100)::bigint,
           'creditedSen', (
             SELECT CASE WHEN count(*) <= 1000 THEN
                      coalesce(sum((totals->>'totalPayableAmount')::numeric * 100) FILTER (WHERE is_counted), 0)::bigint END
               FROM (
               (SELECT n.totals, nd.transaction_id = n.id AND n.submission_status <> 'SubmitFailed'
                       AND n.authority_status IS DISTINCT FROM 'Invalid'
                       AND n.authority_status IS DISTINCT FROM 'Cancelled' AS is_counted
                  FROM (SELECT DISTINCT uuid FROM unnest(ARRAY[
                          p.authority_uuid, upper(p.authority_uuid), lower(p.authority_uuid)]) AS u (uuid)) u
                 CROSS JOIN LATERAL (
                   SELECT id, document_id, totals, submission_status, authority_status FROM document_transaction
                    WHERE tenant_id = $1 AND environment = $2 AND parent_reference_id IS NOT NULL
                      AND parent_authority_uuid = u.uuid LIMIT 1001) n
                  JOIN LATERAL (
                   SELECT transaction_id FROM document WHERE tenant_id = $1 AND id = n.document_id OFFSET 0) nd
                    ON true)
                UNION ALL
               (SELECT h.totals, true FROM document_transaction h
                 WHERE h.tenant_id = $1 AND h.environment = $2
                   AND h.parent_reference_id = p.reference_id AND h.parent_type = p.document_type
                   AND h.submission_status = 'Queued' AND h.held_until IS NOT NULL LIMIT 1001)) note))), '[]')
    FROM (SELECT DISTINCT document_type, reference_id
            FROM unnest($10::text[], $11::text[]) AS u (document_type, reference_id)) w
   CROSS JOIN LATERAL (
     SELECT t.document_type, t.reference_id, t.authority_uuid, t.totals, t.document_date
       FROM (SELECT transaction_id FROM document
              WHERE tenant_id = $1 AND environment = $2
                AND document_type = w.document_type AND reference_id = w.reference_id OFFSET 0) d
      CROSS JOIN LATERAL (
        SELECT document_type, reference_id, authority_uuid, totals, payload->>'documentDate' AS document_date
          FROM document_transaction
         WHERE tenant_id = $1 AND id = d.transaction_id OFFSET 0) t) p`;
const READ_WITH_PARENTS = readWith(`, (${CREDITED_PARENTS}) AS credited`);

/** Reads what a submit is decided on, in one snapshot. */
export async function readForSubmit(
  connection: Pick<EntityManager, 'query'>,
  { tenantId, environment }: Caller,
  { key, wanted, documents }: ToRead,
): Promise<ReadForSubmit> {
  const { types, referenceIds, authorityUuids } = wanted;
  const compared = listComparedNumbers(documents);
  const parameters = [
    tenantId,
    environment,
    key,
    types,
    referenceIds,
    authorityUuids,
    compared.map(({ documentType }) => documentType),
    compared.map(({ referenceId }) => referenceId),
    compared.map(({ numberKey }) => numberKey),
  ];
  const parents = listCreditedParents(documents);
  const [read]: ReadForSubmit[] =
    parents.types.length === 0
      ? await connection.query<Read[]>(READ, parameters)
      : await connection.query<ReadWithParents[]>(READ_WITH_PARENTS, [
          ...parameters,
          parents.types,
          parents.referenceIds,
        ]);
  return read;
}

/**
 * The parents of a batch's credit notes, and of its own documents, which may be known as well, those that must be
 * (docs/rules.md#body-rules): with `isEvery` all of them.
 */
export function buildWanted(documents: readonly { document: ParsedDocument }[], isEvery: boolean): Wanted {
  const types: string[] = [];
  const referenceIds: string[] = [];
  const authorityUuids = new Set<string>();
  for (const { document } of documents) {
    if (isEvery || hasInvisible(document.referenceId)) {
      types.push(document.documentType);
      referenceIds.push(document.referenceId);
    }
    const { parentType } = DOCUMENT_TYPE_ROWS[document.documentType];
    if (parentType === null || document.relatedInvoice === null) continue;
    types.push(parentType);
    referenceIds.push(document.relatedInvoice.referenceId);
    const { authorityUuid } = document.relatedInvoice;
    if (authorityUuid !== null && authorityUuid !== BEFORE_E_INVOICING) authorityUuids.add(authorityUuid);
  }
  return { types, referenceIds, authorityUuids: [...authorityUuids] };
}

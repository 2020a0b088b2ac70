import type { EntityManager } from 'typeorm';
import type { Caller } from '../database/in-tenant.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { hasInvisible } from '../documents/invisible.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import type { ReadRequest } from '../idempotency/idempotency.service.js';
import type { TenantRow } from '../tenants/tenant-row.js';
import { type AlikeReference, comparedNumbers } from './alike-references.js';
import { type CreditedParent, listCreditedParents } from './credited-parents.js';
import type { KnownDocument } from './known-documents.js';
import type { PreparedDocument } from './prepare-submit.js';
import type { StatedDocument } from './stated-document.js';

/** Which documents of the tenant a submit asks for: by type and reference, in step, and by the authority's uuid. */
export interface Wanted {
  readonly types: readonly string[];
  readonly referenceIds: readonly string[];
  readonly authorityUuids: readonly string[];
}

type Read = ReadRequest & {
  readonly tenant: TenantRow;
  readonly known: readonly KnownDocument[];
  readonly alike: readonly AlikeReference[];
};
type ReadWithParents = Read & { readonly credited: readonly CreditedParent[] };

/** What their notes credit is only read for a request with credit notes. */
export type ReadForSubmit = Read & Partial<ReadWithParents>;

/** What a submit asks the database about. */
interface ToRead {
  /** A dry run has none. */
  readonly key: string | null;
  readonly wanted: Wanted;
  readonly documents: readonly Pick<PreparedDocument, 'document' | 'totals'>[];
}

const readWith = (more: string): string => /* sql */ `
  SELECT now, body_hash, response_status, response, tenant, known, alike_references($2, $7, $8) AS alike${more}
    FROM read_for_submit($1, $2, $3, $4, $5, $6)`;
const READ = readWith('');
const READ_WITH_PARENTS = readWith(', credited_parents($1, $2, $9, $10) AS credited');

/** Reads what a submit is decided on, in one snapshot. */
export async function readForSubmit(
  connection: Pick<EntityManager, 'query'>,
  { tenantId, environment }: Caller,
  { key, wanted, documents }: ToRead,
): Promise<ReadForSubmit> {
  const { types, referenceIds, authorityUuids } = wanted;
  const compared = comparedNumbers(documents);
  const comparedTypes = compared.map(({ documentType }) => documentType);
  const comparedIds = compared.map(({ referenceId }) => referenceId);
  const parameters = [tenantId, environment, key, types, referenceIds, authorityUuids, comparedTypes, comparedIds];
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
export function buildWanted(documents: readonly { document: StatedDocument }[], isEvery: boolean): Wanted {
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

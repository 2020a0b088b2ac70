import type { DocumentType } from '../../documents/simplified-document.js';
import { SHOWN_STATUS_SQL, SHOWN_UUID_SQL, type ShownStatus } from '../transactions/shown-status.js';

/** $1 tenant, $2 environment, $3 transaction: what its PDF is printed from. */
export const READ_PAPER = /* sql */ `
SELECT t.document_type AS "documentType", t.reference_id AS "referenceId", ${SHOWN_STATUS_SQL} AS status,
       ${SHOWN_UUID_SQL} AS uuid, t.authority_long_id AS "longId", t.validated_at AS "validatedAt",
       t.cancelled_at AS "cancelledAt", a.bytes
  FROM document_transaction t
  LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
 WHERE t.tenant_id = $1 AND t.environment = $2 AND t.id = $3`;

export interface PaperRow {
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly status: ShownStatus;
  readonly uuid: string | null;
  readonly longId: string | null;
  readonly validatedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly bytes: Buffer | null;
}

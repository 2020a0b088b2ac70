import { SHOWN_STATUS_SQL } from '../transactions/shown-status.js';

/**
 * $1 tenant, $2 environment, $3 invoices to look at, $4 bytes above which one is passed over: the latest valid invoices,
 * in one range of ix_document_transaction_list. What is passed over is not read.
 */
export const READ_LATEST_INVOICES = /* sql */ `
SELECT payload
  FROM (SELECT id, payload, wire_bytes_max FROM document_transaction
         WHERE tenant_id = $1 AND environment = $2 AND document_type = 'invoice' AND ${SHOWN_STATUS_SQL} = 'Valid'
         ORDER BY id DESC LIMIT $3::integer) latest
 WHERE wire_bytes_max <= $4::integer
 ORDER BY id DESC`;

export interface InvoiceRow {
  readonly payload: unknown;
}

/** Whether a tenant waits for a recovery; `tenantId` is a column. Without a recovery, this reads one empty table. */
export function buildWaitsForRecoverySql(tenantId: string): string {
  return /* sql */ `
    EXISTS (
      SELECT FROM recovery r
       WHERE r.ended_at IS NULL AND NOT EXISTS (
         SELECT FROM recovery_tenant x
          WHERE x.recovery_id = r.id AND x.tenant_id = ${tenantId} AND x.released_at IS NOT NULL) OFFSET 0)`;
}

/**
 * Whether a tenant is served: this is the server that the service knows, and the tenant waits for no recovery. For the WHERE
 * of whatever claims work; `tenantId` is a column. Without a recovery it costs a look at two tables of a row or none.
 */
export function buildServedSql(tenantId: string): string {
  return `is_known_server() AND NOT ${buildWaitsForRecoverySql(tenantId)}`;
}

/**
 * Whether the authority has a document of the number that this database does not know, or of which nobody has decided
 * whose it is: then this one is not sent. `t` is a row of `document_transaction`. One that is known to be invalid or
 * cancelled leaves its number free. Without a recovery there are none, which is asked once for a statement.
 */
export const IS_FOUND_AT_AUTHORITY = /* sql */ `
  ((SELECT EXISTS (SELECT FROM found_document)) AND EXISTS (
          SELECT FROM found_document f
           WHERE f.reference_id = t.reference_id AND f.supplier_tin = split_part(t.on_behalf_of, ':', 1)
             AND f.environment = t.environment AND coalesce(f.document_type, t.document_type) = t.document_type
             AND f.state IN ('missing', 'disputed')
             AND (f.state = 'disputed' OR f.authority_status IS NULL OR f.authority_status NOT IN ('Invalid', 'Cancelled'))
           OFFSET 0))`;

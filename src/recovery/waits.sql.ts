const IS_RECOVERY_OPEN = /* sql */ `(SELECT EXISTS (SELECT FROM recovery WHERE ended_at IS NULL))`;

/** Builds the condition that a tenant waits for a recovery. The function is called only during a recovery. */
export function buildWaitsForRecoverySql(tenantIdColumn: string): string {
  return `(${IS_RECOVERY_OPEN} AND waits_for_recovery_since(${tenantIdColumn}) IS NOT NULL)`;
}

/** Builds the condition for every claim: the database is the known server, and the tenant waits for no recovery. */
export function buildServedSql(tenantIdColumn: string): string {
  return `is_known_server() AND NOT ${buildWaitsForRecoverySql(tenantIdColumn)}`;
}

/**
 * Condition on a row `t` of `document_transaction`: the authority has a document of this number that no operator has adopted
 * or dismissed. The function is called only after a recovery.
 */
export const IS_FOUND_AT_AUTHORITY = /* sql */ `
  ((SELECT EXISTS (SELECT FROM found_document))
   AND found_at_authority_since(t.environment, t.on_behalf_of, t.document_type, t.reference_id) IS NOT NULL)`;

const IS_RECOVERY_OPEN = /* sql */ `(SELECT EXISTS (SELECT FROM recovery WHERE ended_at IS NULL))`;

/** Builds the condition that a tenant waits for a recovery. Calls the function only while a recovery is open. */
export function buildWaitsForRecoverySql(tenantIdColumn: string): string {
  return `(${IS_RECOVERY_OPEN} AND waits_for_recovery_since(${tenantIdColumn}) IS NOT NULL)`;
}

/** Builds the condition for claims: the server is known, and the tenant does not wait for a recovery. */
export function buildServedSql(tenantIdColumn: string): string {
  return `is_known_server() AND NOT ${buildWaitsForRecoverySql(tenantIdColumn)}`;
}

/** Condition on a row `t` of `document_transaction` whose number belongs to an undecided document at the authority. */
export const IS_FOUND_AT_AUTHORITY = /* sql */ `
  ((SELECT EXISTS (SELECT FROM found_document))
   AND found_at_authority_since(t.environment, t.on_behalf_of, t.document_type, t.reference_id) IS NOT NULL)`;

import type { OperatorAuditEntryDto } from './dto/operator.dto.js';
import type { EntityManager } from 'typeorm';
import type { AuditFilter } from '../audit/audit.sql.js';
import type { PageRequest } from '../cursor.js';

export interface OperatorAuditFilter extends AuditFilter {
  /** One organisation's alone; null for all. */
  readonly tenantId: string | null;
}

const listing = (condition: string): string => `
  SELECT a.id AS "entryId", a.at, a.user_id AS "userId", a.actor, a.action, a.subject, a.details, a.ip,
         a.tenant_id AS "tenantId", t.name AS organisation
    FROM audit_entry a LEFT JOIN tenant t ON t.tenant_id = a.tenant_id
   WHERE starts_with(a.action, $1) AND starts_with(a.actor, $2) AND ($3::uuid IS NULL OR a.id < $3) ${condition}
   ORDER BY a.id DESC LIMIT $4`;

// Two statements, since one plan serves every value: of one organisation its key is used, of all the index of ids.
const OF_ALL = listing('');
const OF_ONE = listing('AND a.tenant_id = $5');

/** The audit log of all organisations, the newest first: a page of it and one more. */
export function listAllAudit(
  manager: EntityManager,
  { action, actor, tenantId }: OperatorAuditFilter,
  { after, limit }: PageRequest,
): Promise<OperatorAuditEntryDto[]> {
  const parameters = [action, actor, after, limit + 1];
  return tenantId === null
    ? manager.query<OperatorAuditEntryDto[]>(OF_ALL, parameters)
    : manager.query<OperatorAuditEntryDto[]>(OF_ONE, [...parameters, tenantId]);
}

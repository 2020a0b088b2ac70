import type { OperatorAuditEntryDto } from './dto/operator.dto.js';
import type { EntityManager } from 'typeorm';
import { type AuditFilter, buildParameters, CONDITION } from '../audit/audit.sql.js';
import type { PageRequest } from '../cursor.js';

export interface OperatorAuditFilter extends AuditFilter {
  /** One organisation's alone; null for all. */
  readonly tenantId: string | null;
}

const listing = (condition: string): string => `
  SELECT a."entryId", a.at, a."userId", a.actor, a.action, a.subject, a.details, a.ip, a."tenantId",
         t.name AS organisation
    FROM (SELECT id AS "entryId", at, user_id AS "userId", actor, action, subject, details, ip, tenant_id AS "tenantId"
            FROM audit_entry WHERE ${CONDITION} ${condition} ORDER BY id DESC LIMIT $7) a
    LEFT JOIN tenant t ON t.tenant_id = a."tenantId"
   ORDER BY a."entryId" DESC`;

// Two statements, since one plan serves every value: of one organisation its key is used, of all the index of ids.
const OF_ALL = listing('');
const OF_ONE = listing('AND tenant_id = $8');

/** The audit log of all organisations, the newest first: a page of it and one more. */
export function listAllAudit(
  manager: EntityManager,
  { tenantId, ...filter }: OperatorAuditFilter,
  { after, limit }: PageRequest,
): Promise<OperatorAuditEntryDto[]> {
  const parameters = [...buildParameters(filter, after), limit + 1];
  return tenantId === null
    ? manager.query<OperatorAuditEntryDto[]>(OF_ALL, parameters)
    : manager.query<OperatorAuditEntryDto[]>(OF_ONE, [...parameters, tenantId]);
}

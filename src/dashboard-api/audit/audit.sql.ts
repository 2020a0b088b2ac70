import type { EntityManager } from 'typeorm';
import { toMalaysianMidnight } from '../../common/malaysian-days.js';
import type { PageRequest } from '../cursor.js';
import { type Days, computeFirstId, computeIdRange } from '../days.js';
import type { OperatorAuditEntryDto } from '../operator/dto/operator.dto.js';
import type { AuditEntryDto } from './dto/audit.dto.js';

export interface AuditFilter extends Days {
  /** Beginnings of actions, such as `key.`. An empty list matches all actions. */
  readonly actions: readonly string[];
  /** Beginning of an e-mail address. Empty matches all actors. */
  readonly actor: string;
}

// The id range is a coarse filter that is days wider. `at` filters exactly.
const CONDITION = `(cardinality($1::text[]) = 0 OR action ^@ ANY ($1::text[]))
    AND starts_with(lower(actor), $2) AND id >= $3 AND id < $4
    AND ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)`;

// An entry may share the id of its batch, which is up to a month older after a retried submit.
const DAYS_BEFORE = 31;
const DAYS_AFTER = 1;

function buildParameters({ actions, actor, from, to }: AuditFilter, after: string | null): unknown[] {
  const [begin, end] = [from && toMalaysianMidnight(from), to && toMalaysianMidnight(to, 1)];
  const ids = computeIdRange({ from: null, to: null }, after);
  const first = from === null ? ids.first : computeFirstId(toMalaysianMidnight(from, -DAYS_BEFORE));
  const last = to === null ? ids.end : computeFirstId(toMalaysianMidnight(to, 1 + DAYS_AFTER));
  return [actions, actor, first, last < ids.end ? last : ids.end, begin, end];
}

export function listAudit(
  tx: EntityManager,
  tenantId: string,
  filter: AuditFilter,
  { after, limit }: PageRequest,
): Promise<AuditEntryDto[]> {
  return tx.query<AuditEntryDto[]>(
    `SELECT id AS "entryId", at, user_id AS "userId", actor, action, subject, details, ip
       FROM audit_entry WHERE ${CONDITION} AND tenant_id = $7 ORDER BY id DESC LIMIT $8`,
    [...buildParameters(filter, after), tenantId, limit + 1],
  );
}

export interface OperatorAuditFilter extends AuditFilter {
  /** Null for all organisations. */
  readonly tenantId: string | null;
}

const listing = (condition: string): string => `
  SELECT a."entryId", a.at, a."userId", a.actor, a.action, a.subject, a.details, a.ip, a."tenantId",
         t.name AS organisation
    FROM (SELECT id AS "entryId", at, user_id AS "userId", actor, action, subject, details, ip, tenant_id AS "tenantId"
            FROM audit_entry WHERE ${CONDITION} ${condition} ORDER BY id DESC LIMIT $7) a
    LEFT JOIN tenant t ON t.tenant_id = a."tenantId"
   ORDER BY a."entryId" DESC`;

// Separate statements, because a prepared statement uses one plan for all values.
const OF_ALL = listing('');
const OF_ONE = listing('AND tenant_id = $8');

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

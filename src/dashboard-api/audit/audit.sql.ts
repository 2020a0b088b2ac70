import type { EntityManager } from 'typeorm';
import { toMalaysianMidnight } from '../../common/malaysian-days.js';
import type { PageRequest } from '../cursor.js';
import { type Days, computeFirstId, computeIdRange } from '../days.js';

export interface AuditRow {
  readonly entryId: string;
  readonly at: Date;
  readonly userId: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Record<string, unknown>;
  readonly ip: string | null;
}

/** Which entries are wanted. */
export interface AuditFilter extends Days {
  /** What the action begins with, such as `key.`: one of these; none means all. */
  readonly actions: readonly string[];
  /** What the actor's e-mail address begins with; empty for everybody. */
  readonly actor: string;
}

/** $1 to $6 of {@link buildParameters}. The bounds of ids spare entries that are days away; the day is judged by `at`. */
export const CONDITION = `(cardinality($1::text[]) = 0 OR action ^@ ANY ($1::text[]))
    AND starts_with(lower(actor), $2) AND id >= $3 AND id < $4
    AND ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)`;

// The id of an entry may be that of the batch that it is about, and as old as a repeat of its request can be.
const DAYS_BEFORE = 31;
const DAYS_AFTER = 1;

/** The parameters of {@link CONDITION}. */
export function buildParameters({ actions, actor, from, to }: AuditFilter, after: string | null): unknown[] {
  const [begin, end] = [from && toMalaysianMidnight(from), to && toMalaysianMidnight(to, 1)];
  const ids = computeIdRange({ from: null, to: null }, after);
  const first = from === null ? ids.first : computeFirstId(toMalaysianMidnight(from, -DAYS_BEFORE));
  const last = to === null ? ids.end : computeFirstId(toMalaysianMidnight(to, 1 + DAYS_AFTER));
  return [actions, actor, first, last < ids.end ? last : ids.end, begin, end];
}

/** An organisation's audit log, the newest first: a page of it and one more. */
export function listAudit(
  tx: EntityManager,
  tenantId: string,
  filter: AuditFilter,
  { after, limit }: PageRequest,
): Promise<AuditRow[]> {
  return tx.query<AuditRow[]>(
    `SELECT id AS "entryId", at, user_id AS "userId", actor, action, subject, details, ip
       FROM audit_entry WHERE ${CONDITION} AND tenant_id = $7 ORDER BY id DESC LIMIT $8`,
    [...buildParameters(filter, after), tenantId, limit + 1],
  );
}

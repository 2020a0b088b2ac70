import type { EntityManager } from 'typeorm';
import type { PageRequest } from '../cursor.js';

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

/** Which entries are wanted; an empty text is every one. */
export interface AuditFilter {
  /** What the action begins with, such as `key.`. */
  readonly action: string;
  /** What the actor's e-mail address begins with. */
  readonly actor: string;
}

/** An organisation's audit log, the newest first: a page of it and one more. */
export function listAudit(
  tx: EntityManager,
  tenantId: string,
  { action, actor }: AuditFilter,
  { after, limit }: PageRequest,
): Promise<AuditRow[]> {
  return tx.query<AuditRow[]>(
    `SELECT id AS "entryId", at, user_id AS "userId", actor, action, subject, details, ip
       FROM audit_entry
      WHERE tenant_id = $1 AND starts_with(action, $2) AND starts_with(actor, $3) AND ($4::uuid IS NULL OR id < $4)
      ORDER BY id DESC LIMIT $5`,
    [tenantId, action, actor, after, limit + 1],
  );
}

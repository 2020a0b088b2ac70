import { userInfo } from 'node:os';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { SERVICE_NOW } from '../database/clock.js';
import { insertIfNew } from '../database/insert-if-new.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import type { AuditAction } from './actions.js';

/** Tenant id of entries without an organisation, such as sign-ins. */
export const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';

export interface Actor {
  readonly userId: string | null;
  readonly email: string;
  readonly ip: string | null;
}

export interface UserActor extends Actor {
  readonly userId: string;
}

/** The operating system's user who runs an operator command. */
export const COMMAND_ACTOR: Actor = { userId: null, email: `operator command (${readSystemUser()})`, ip: null };

function readSystemUser(): string {
  const { SUDO_USER: sudoUser } = process.env;
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    name = `uid ${process.getuid?.()}`;
  }
  return sudoUser === undefined ? name : `${sudoUser} as ${name}`;
}

export function createStranger(ip: string): Actor {
  return { userId: null, email: 'not signed in', ip };
}

/** Lets the API's role append entries without an organisation. */
export async function enterNoOrganisation(tx: EntityManager): Promise<void> {
  await tx.query(`SELECT set_config('app.tenant_id', $1, true)`, [NO_ORGANISATION]);
}

export interface Change {
  readonly tenantId: string;
  readonly action: AuditAction;
  /** Human-readable name, such as an e-mail address or the name of a key. */
  readonly subject: string;
  /** Must not contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Id of the created object, which makes a repeated entry a no-op. */
  readonly madeId?: string;
}

/** Appends a change to the audit log in the same database transaction. */
export async function appendAudit(tx: EntityManager, actor: Actor, change: Change): Promise<void> {
  await insertIfNew(tx, AuditEntry, {
    tenantId: change.tenantId,
    id: change.madeId ?? uuidv7(),
    at: SERVICE_NOW,
    userId: actor.userId,
    actor: actor.email,
    action: change.action,
    subject: change.subject,
    details: change.details ?? {},
    ip: actor.ip,
  });
}

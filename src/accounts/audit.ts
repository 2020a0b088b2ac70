import { userInfo } from 'node:os';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { SERVICE_NOW } from '../database/clock.js';
import { insertIfNew } from '../database/insert-if-new.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import type { AuditAction } from './actions.js';

/** The organisation of what belongs to none, such as a sign-in. */
export const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';

/** Who did something, as the audit log names them. */
export interface Actor {
  /** Null for an operator's command and for anyone who has not signed in. */
  readonly userId: string | null;
  readonly email: string;
  readonly ip: string | null;
}

/** A user, as the audit log names them. */
export interface UserActor extends Actor {
  readonly userId: string;
}

/** Who runs an operators' command: nobody signed in for it, so the operating system says who it is. */
export const COMMAND_ACTOR: Actor = { userId: null, email: `operator command (${readSystemUser()})`, ip: null };

function readSystemUser(): string {
  const { SUDO_USER: sudoUser } = process.env;
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    // A container's user may have a number and no name.
    name = `uid ${process.getuid?.()}`;
  }
  return sudoUser === undefined ? name : `${sudoUser} as ${name}`;
}

/** Anyone who has not shown who they are: what they say they are is the subject of the entry. */
export function createStranger(ip: string): Actor {
  return { userId: null, email: 'not signed in', ip };
}

/** For an entry of the audit log that belongs to no organisation: row-level security lets the API's role append it. */
export async function enterNoOrganisation(tx: EntityManager): Promise<void> {
  await tx.query(`SELECT set_config('app.tenant_id', $1, true)`, [NO_ORGANISATION]);
}

/** A change that a person made. */
export interface Change {
  readonly tenantId: string;
  readonly action: AuditAction;
  /** What it was done to, as a person knows it: an e-mail address, the name of a key. */
  readonly subject: string;
  /** What else is worth keeping; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The id of what was made, for an entry that is appended after its change: appending it again does nothing. */
  readonly madeId?: string;
}

/** Appends a change to the audit log, in the transaction that makes it: both are there, or neither. */
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

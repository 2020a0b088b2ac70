import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type EntityManager,
  type EntitySubscriberInterface,
  EventSubscriber,
  QueryFailedError,
  type QueryRunner,
  type TransactionCommitEvent,
} from 'typeorm';
import { type ApiError, ApiKeyError, type ApiKeyErrorCode } from '../errors/api-error.js';
import { DashboardError, type DashboardErrorCode } from '../errors/dashboard-errors.js';

interface KeyAccess {
  readonly keyId: string;
  readonly tenantId: string;
}

/** The user who sent a request or started a job. Every member that is present must still be valid. */
interface UserAccess {
  readonly userId: string;
  readonly sessionId?: string;
  readonly tenantId?: string;
  /** The permitted roles, lowest first. */
  readonly roles?: readonly string[];
  readonly isOperator?: true;
}

/** The access with which a request was accepted, in the form that `confirm_access` reads. */
export type Access = KeyAccess | UserAccess;

const storage = new AsyncLocalStorage<Access>();
const confirmed = new WeakSet<QueryRunner>();

const ACCESS_REFUSED = 'EI401';

/** Runs work whose database transactions commit only if the access is still valid. */
export function runWithAccess<T>(access: Access, work: () => T): T {
  return storage.run(access, work);
}

/** Runs work that is shared by other requests or must finish even after the access has ended. */
export function runWithoutAccess<T>(work: () => T): T {
  return storage.exit(work);
}

/** Returns the access of the running work; undefined for commands and loops. */
export function currentAccess(): Access | undefined {
  return storage.getStore();
}

/**
 * Confirms the access of the running work and keeps it valid until the commit. Every database transaction does this
 * before its commit; a transaction that ends its own access, such as a sign-out, calls it first.
 * @param isExclusive whether concurrent calls for the user wait until this transaction ends. Required before deleting
 * sessions, to avoid deadlocks.
 * @throws ApiKeyError (401), DashboardError (401, 403, 404)
 */
export async function confirmAccess(
  { queryRunner }: Pick<EntityManager, 'queryRunner'>,
  { isExclusive = false } = {},
): Promise<void> {
  const access = currentAccess();
  if (access === undefined || queryRunner === undefined) return;
  await confirmWith(queryRunner, isExclusive ? { ...access, isExclusive } : access);
  confirmed.add(queryRunner);
}

export async function confirmWith(
  connection: { query(statement: string, parameters: unknown[]): Promise<unknown> },
  access: Access & { readonly isExclusive?: boolean },
): Promise<void> {
  try {
    await connection.query('SELECT confirm_access($1)', [JSON.stringify(access)]);
  } catch (error) {
    throw toAccessError(error, access) ?? error;
  }
}

const KEY_REFUSALS: Readonly<Partial<Record<string, string>>> = {
  api_key_revoked: 'This API key was revoked',
  api_key_expired: 'This API key has expired',
  api_key_invalid: 'This API key is not known',
} satisfies Partial<Record<ApiKeyErrorCode, string>>;

/** Converts the refusal that `confirm_access` raised; returns null for any other error. */
export function toAccessError(error: unknown, access: Access | undefined): ApiError | null {
  if (!(error instanceof QueryFailedError)) return null;
  const { code, message, detail } = error.driverError as { code?: string; message: string; detail?: string };
  if (code !== ACCESS_REFUSED) return null;
  const ofKey = KEY_REFUSALS[message];
  if (ofKey !== undefined) return new ApiKeyError(message as ApiKeyErrorCode, ofKey);
  const roles = access !== undefined && 'roles' in access ? access.roles : undefined;
  const facts = message === 'role_too_low' ? { role: detail, neededRole: roles?.[0] } : {};
  return new DashboardError(message as DashboardErrorCode, { facts });
}

const USER_REFUSALS: ReadonlySet<string> = new Set(['session_required', 'organisation_not_found', 'role_too_low']);

export function isUserRefusal(error: unknown): boolean {
  return error instanceof DashboardError && USER_REFUSALS.has(error.code);
}

/** Confirms access before each commit, so that no handler can omit it (docs/security.md). */
@EventSubscriber()
export class AccessSubscriber implements EntitySubscriberInterface {
  async beforeTransactionCommit({ queryRunner }: TransactionCommitEvent): Promise<void> {
    const access = currentAccess();
    if (access !== undefined && !confirmed.delete(queryRunner)) await confirmWith(queryRunner, access);
  }
}

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

/** The API key that a request was accepted with. */
interface KeyAccess {
  readonly keyId: string;
  readonly tenantId: string;
}

/** The user that a request, or later work for it, was accepted for. Every member that is present must still hold. */
interface UserAccess {
  readonly userId: string;
  readonly sessionId?: string;
  /** The organisation in which the user needs one of `roles`. */
  readonly tenantId?: string;
  /** The roles that suffice, the lowest first. */
  readonly roles?: readonly string[];
  readonly isOperator?: true;
}

/** What a state-changing request was accepted with, as `confirm_access` reads it. */
export type Access = KeyAccess | UserAccess;

const storage = new AsyncLocalStorage<Access>();
const confirmed = new WeakSet<QueryRunner>();

const ACCESS_REFUSED = 'EI401';

/** Runs work whose database transactions commit only while this access is still valid. */
export function runWithAccess<T>(access: Access, work: () => T): T {
  return storage.run(access, work);
}

/** Runs work that continues when the access of the request ends, because other requests share it or it records what was accepted. */
export function runWithoutAccess<T>(work: () => T): T {
  return storage.exit(work);
}

/** The access of the work that is running; undefined for commands and loops, which act for the service itself. */
export function currentAccess(): Access | undefined {
  return storage.getStore();
}

/**
 * Confirms the access of the running work in its database transaction, and keeps it valid until that ends. Each
 * transaction does this before its commit. A transaction that ends its own access, such as a sign-out, calls it first.
 * @param isExclusive whether other transactions that pass it wait until this one ends, as those that delete sessions of
 *   the user must: two that first shared a session would wait for each other
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

/** Confirms access with one statement. @throws ApiKeyError (401), DashboardError (401, 403, 404) */
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

/** The refusal that `confirm_access` raised; null for any other error. */
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

/** Whether an error says that a user's access is no longer valid. */
export function isUserRefusal(error: unknown): boolean {
  return error instanceof DashboardError && USER_REFUSALS.has(error.code);
}

/**
 * Confirms access before each commit, so that no handler can omit it: a request may take long enough for its key to be
 * revoked, its user to be removed or its session to end (docs/security.md).
 */
@EventSubscriber()
export class AccessSubscriber implements EntitySubscriberInterface {
  async beforeTransactionCommit({ queryRunner }: TransactionCommitEvent): Promise<void> {
    const access = currentAccess();
    if (access !== undefined && !confirmed.delete(queryRunner)) await confirmWith(queryRunner, access);
  }
}

import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { unwrap, client, rememberCsrfToken } from './client';
import { CallFailure } from './errors';
import type { components } from './schema';

export type Session = components['schemas']['SessionDto'];
export type Organisation = Session['organisations'][number];
export type Environment = Session['environments'][number];
export type Role = Organisation['role'];

/** Organisation in one environment. */
export interface Scope {
  tenantId: string;
  environment: Environment;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    try {
      const session = await unwrap(client.GET('/api/dashboard/session'));
      rememberCsrfToken(session.csrfToken);
      rememberSignedIn(session.user.userId);
      if (findTabUser() === null) takeTab(session.user.userId);
      return session;
    } catch (error) {
      if (!(error instanceof CallFailure) || error.status !== 401) throw error;
      rememberCsrfToken(null);
      return null;
    }
  },
  // Sign-in, sign-out and the end of a session update it.
  staleTime: Infinity,
  gcTime: Infinity,
});

const NO_NEW_ACCOUNT =
  'No account was created. If you already have an account with this e-mail address, sign in with its password. ' +
  'Otherwise, contact the operator.';

/**
 * Returns the session that a sign-up opened. The response to a sign-up does not reveal whether the account existed
 * already, but then there is no session.
 * @throws {CallFailure}
 */
export async function confirmSession(signUp: Promise<Session>): Promise<Session> {
  await signUp;
  return unwrap(client.GET('/api/dashboard/session')).catch((error: unknown) => {
    if (!(error instanceof CallFailure) || error.status !== 401) throw error;
    throw new CallFailure(NO_NEW_ACCOUNT, { status: error.status, code: error.code });
  });
}

// Last user of this browser who has not signed out. The entry remains if a session ends in another way.
const SIGNED_IN = 'einvoice.signed-in';

function rememberSignedIn(userId: string): void {
  signedOutElsewhere = null;
  inStorage((storage) => storage.setItem(SIGNED_IN, userId));
}

export function forgetSignedIn(): void {
  inStorage((storage) => storage.removeItem(SIGNED_IN));
  inStorage((storage) => storage.removeItem(TAB_USER), 'sessionStorage');
}

// User of this tab. Drafts belong to this user even after another user has signed in elsewhere. The entry survives
// a reload.
const TAB_USER = 'einvoice.tab-user';

export function takeTab(userId: string): void {
  inStorage((storage) => storage.setItem(TAB_USER, userId), 'sessionStorage');
}

export function findTabUser(): string | null {
  return inStorage((storage) => storage.getItem(TAB_USER), 'sessionStorage');
}

/** Returns the user whose session ended without a sign-out. */
export function findEndedUser(): string | null {
  return inStorage((storage) => storage.getItem(SIGNED_IN));
}

let signedOutElsewhere: string | null = null;

/** Returns the user of this tab who was signed out by another tab. */
export function findSignedOutElsewhere(): string | null {
  return signedOutElsewhere;
}

/** Returns null if the browser denies access to the storage. */
function inStorage<Result>(
  call: (storage: Storage) => Result,
  kind: 'localStorage' | 'sessionStorage' = 'localStorage',
): Result | null {
  try {
    return call(window[kind]);
  } catch {
    return null;
  }
}

// Each sign-in and sign-out changes this entry, which notifies the other tabs.
const CHANGED = 'einvoice.session';

/** Call it after each sign-in and sign-out. */
export function notifyOtherTabs(): void {
  // Without storage, the other tabs notice the change on their next call.
  inStorage((storage) => storage.setItem(CHANGED, String(Date.now())));
}

/** Clears the cache, which may contain another user's data. */
export function beginSession(queryClient: QueryClient, session: Session): void {
  notifyOtherTabs();
  queryClient.clear();
  rememberCsrfToken(session.csrfToken);
  rememberSignedIn(session.user.userId);
  takeTab(session.user.userId);
  queryClient.setQueryData(sessionQuery.queryKey, session);
}

/** Reloads the session after a change of name, role or membership. Call `router.invalidate()` to show the change. */
export async function reloadSession(queryClient: QueryClient): Promise<void> {
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
}

/** Calls back when another tab of this browser signs in or out. */
export function onSessionChangedElsewhere(changed: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === CHANGED) changed();
  });
}

/**
 * Reloads the session after a sign that it has changed.
 * @returns Which user is signed in now, compared with the user of the open page
 */
export async function renewSession(
  queryClient: QueryClient,
): Promise<'same user' | 'other user' | 'user again' | 'signed out'> {
  const before = queryClient.getQueryData(sessionQuery.queryKey)?.user.userId;
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session === null) {
    signedOutElsewhere = findEndedUser() === null ? (before ?? null) : null;
    return 'signed out';
  }
  if (before === undefined) {
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
    return 'user again';
  }
  return session.user.userId === before ? 'same user' : 'other user';
}

/** Keeps other cached data because the open pages show it until the router leaves them. */
export function endSession(queryClient: QueryClient): void {
  rememberCsrfToken(null);
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

const RANKS: Record<Role, number> = { viewer: 0, member: 1, owner: 2 };

/** Hides actions that the API would reject. The API enforces the roles. */
export function hasRole(organisation: Organisation, role: Role): boolean {
  return RANKS[organisation.role] >= RANKS[role];
}

import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { unwrap, client, rememberCsrfToken } from './client';
import { CallFailure } from './errors';
import type { paths } from './schema';

export type Session = paths['/api/dashboard/session']['get']['responses'][200]['content']['application/json'];
export type Organisation = Session['organisations'][number];
export type Environment = Session['environments'][number];
export type Role = Organisation['role'];

/** The signed-in user's session, or null. */
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
  // Changed by sign-in, sign-out and a lost session, which all say so.
  staleTime: Infinity,
  gcTime: Infinity,
});

const NO_NEW_ACCOUNT =
  'No account was made. If you have one with this e-mail address, sign in with its password; if not, ask an operator of ' +
  'this service.';

/**
 * The session that a sign-up has opened. A sign-up with an address that has an account is told the same, but its session
 * opens nothing.
 * @throws {CallFailure}
 */
export async function confirmSession(signUp: Promise<Session>): Promise<Session> {
  await signUp;
  return unwrap(client.GET('/api/dashboard/session')).catch((error: unknown) => {
    if (!(error instanceof CallFailure) || error.status !== 401) throw error;
    throw new CallFailure(NO_NEW_ACCOUNT, { status: error.status, code: error.code });
  });
}

// Who is signed in with this browser, until they sign out: a session that has ended otherwise leaves it.
const SIGNED_IN = 'einvoice.signed-in';

function rememberSignedIn(userId: string): void {
  leftElsewhere = null;
  inStorage((storage) => storage.setItem(SIGNED_IN, userId));
}

/** To be called when a user signs out. */
export function forgetSignedIn(): void {
  inStorage((storage) => storage.removeItem(SIGNED_IN));
  inStorage((storage) => storage.removeItem(TAB_USER), 'sessionStorage');
}

// Whose tab it is: what was typed into its pages is theirs, also after another one has signed in elsewhere. It outlives a
// reload.
const TAB_USER = 'einvoice.tab-user';

/** From now on the pages of this tab are this user's. */
export function takeTab(userId: string): void {
  inStorage((storage) => storage.setItem(TAB_USER, userId), 'sessionStorage');
}

/** The user who has signed in, or gone on, in this tab. */
export function findTabUser(): string | null {
  return inStorage((storage) => storage.getItem(TAB_USER), 'sessionStorage');
}

/** The user whose session has ended without a sign-out; for pages that nobody signed in sees. */
export function findEndedUser(): string | null {
  return inStorage((storage) => storage.getItem(SIGNED_IN));
}

let leftElsewhere: string | null = null;

/** The user whom another tab of this browser has signed out, while this one showed their pages. */
export function findSignedOutElsewhere(): string | null {
  return leftElsewhere;
}

/** A browser may refuse storage: then it is not known who was signed in. */
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

// Written at each sign-in and sign-out, which the other tabs of the browser hear of.
const CHANGED = 'einvoice.session';

/** To be called after each. */
export function tellOtherTabs(): void {
  // Without storage the other tabs notice with their next call.
  inStorage((storage) => storage.setItem(CHANGED, String(Date.now())));
}

/** Nothing of an earlier user's answers is left in the cache. */
export function beginSession(queryClient: QueryClient, session: Session): void {
  tellOtherTabs();
  queryClient.clear();
  rememberCsrfToken(session.csrfToken);
  rememberSignedIn(session.user.userId);
  takeTab(session.user.userId);
  queryClient.setQueryData(sessionQuery.queryKey, session);
}

/**
 * Asks again who is signed in, and where: after a change of name, role or membership. `router.invalidate()` shows it.
 */
export async function reloadSession(queryClient: QueryClient): Promise<void> {
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
}

/** Calls back when another tab of this browser has signed in or out. */
export function onSessionChangedElsewhere(changed: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === CHANGED) changed();
  });
}

/**
 * Asks who is signed in now, after something that says that it is another session.
 * @returns Whether it is the same user, so that the open page goes on with the new session
 */
export async function renewSession(
  queryClient: QueryClient,
): Promise<'same user' | 'other user' | 'user again' | 'nobody'> {
  const before = queryClient.getQueryData(sessionQuery.queryKey)?.user.userId;
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session === null) {
    leftElsewhere = findEndedUser() === null ? (before ?? null) : null;
    return 'nobody';
  }
  if (before === undefined) {
    // Nothing of an earlier user's answers is left.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
    return 'user again';
  }
  return session.user.userId === before ? 'same user' : 'other user';
}

/** The pages that still show answers of the ended session keep them until the router has left them. */
export function endSession(queryClient: QueryClient): void {
  rememberCsrfToken(null);
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

const RANKS: Record<Role, number> = { viewer: 0, member: 1, owner: 2 };

/**
 * Whether the user may do what needs `role`. The API decides; this only spares people buttons that would be refused.
 */
export function hasRole(organisation: Organisation, role: Role): boolean {
  return RANKS[organisation.role] >= RANKS[role];
}

import type { QueryClient } from '@tanstack/react-query';
import { endSession, forgetSignedIn, sessionQuery, notifyOtherTabs } from '../api/session';
import { removeDraftsOf } from './draft/stored-draft';

/** Discards the user's drafts because others may use the browser. */
export function leaveSession(queryClient: QueryClient): void {
  const user = queryClient.getQueryData(sessionQuery.queryKey)?.user;
  if (user !== undefined) removeDraftsOf(user.userId);
  forgetSignedIn();
  endSession(queryClient);
  notifyOtherTabs();
}

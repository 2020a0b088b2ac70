import type { QueryClient } from '@tanstack/react-query';
import { endSession, forgetSignedIn, sessionQuery, tellOtherTabs } from '../api/session';
import { removeDraftsOf } from './draft/stored-draft';

/** After a sign-out that its user asked for: what they typed does not stay in a browser that others may use. */
export function leaveSession(queryClient: QueryClient): void {
  const user = queryClient.getQueryData(sessionQuery.queryKey)?.user;
  if (user !== undefined) removeDraftsOf(user.userId);
  forgetSignedIn();
  endSession(queryClient);
  tellOtherTabs();
}

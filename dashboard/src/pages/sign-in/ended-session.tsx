import { useState } from 'react';
import { findEndedUser, findSignedOutElsewhere, findTabUser } from '../../api/session';
import { countDraftsOf } from '../../parts/draft/stored-draft';
import { Notice } from '../../parts/notice';

/** Explains why the user must sign in again and whether unsent drafts are kept. */
export function EndedSession() {
  // Keeps the state from when the page was opened.
  const [{ ended, signedOutElsewhere, tabUser }] = useState(() => ({
    ended: findEndedUser(),
    signedOutElsewhere: findSignedOutElsewhere(),
    tabUser: findTabUser(),
  }));
  const isKept = [ended, tabUser].some((userId) => userId !== null && countDraftsOf(userId) > 0);
  const kept = isKept
    ? 'Unsent forms are kept in this browser. Sign in again to continue.'
    : 'Unsent forms are not kept.';
  if (signedOutElsewhere !== null) {
    return (
      <Notice
        kind="info"
        title={
          signedOutElsewhere === (tabUser ?? signedOutElsewhere)
            ? 'You have signed out'
            : 'The other user has signed out'
        }
      >
        This happened in another tab of this browser. {kept}
      </Notice>
    );
  }
  if (ended === null) return null;
  return (
    <Notice kind="info" title="Your session has ended">
      It was unused for a long time, was too old, or was ended on another device or by a new password. {kept}
    </Notice>
  );
}

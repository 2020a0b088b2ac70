import { useState } from 'react';
import { findEndedUser, isSignedOutElsewhere } from '../../api/session';
import { countDraftsOf } from '../../parts/draft/stored-draft';
import { Notice } from '../../parts/notice';

/** Why somebody who was signed in has to sign in, and what became of what they had typed. */
export function EndedSession() {
  // As it was when the page was opened.
  const [ending] = useState(() => ({ userId: findEndedUser(), isElsewhere: isSignedOutElsewhere() }));
  if (ending.isElsewhere) {
    return (
      <Notice kind="info" title="You have signed out">
        That was in another tab of this browser. What was typed into forms and not sent is not kept.
      </Notice>
    );
  }
  if (ending.userId === null) return null;
  return (
    <Notice kind="info" title="Your session has ended">
      It was not used for a long time, was too old, or was ended on another device or by a new password.{' '}
      {countDraftsOf(ending.userId) > 0
        ? 'What was typed into forms and not sent is kept in this browser: sign in again to continue.'
        : 'Nothing that was typed and not sent is kept.'}
    </Notice>
  );
}

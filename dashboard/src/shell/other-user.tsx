import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { findTabUser, sessionQuery, takeTab } from '../api/session';
import { countDraftsOf } from '../parts/draft/stored-draft';
import { Notice } from '../parts/notice';

/** Informs the user of this tab that another user has signed in elsewhere and whether drafts are kept. */
export function OtherUser() {
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  const [tabUser, setTabUser] = useState(findTabUser);
  if (user === undefined || tabUser === null || tabUser === user.userId) return null;
  const goOn = () => {
    takeTab(user.userId);
    setTabUser(user.userId);
  };
  return (
    <Notice kind="info" title="Another user is signed in now">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {user.name} ({user.email}) has signed in in another tab of this browser.{' '}
          {countDraftsOf(tabUser) > 0
            ? 'Unsent forms of the previous user are kept in this browser until that user signs in again.'
            : 'Unsent forms of the previous user are not kept.'}
        </Text>
        <Button size="xs" variant="default" onClick={goOn}>
          Continue as {user.name}
        </Button>
      </Stack>
    </Notice>
  );
}

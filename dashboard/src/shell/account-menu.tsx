import { Button, Menu, Text } from '@mantine/core';
import { IconLogout, IconUser, IconUserCog } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, client } from '../api/client';
import type { Session } from '../api/session';
import { countDraftsOf } from '../parts/draft/stored-draft';
import { leaveSession } from '../parts/leave-session';

export function AccountMenu({ user }: { user: Session['user'] }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const [drafts, setDrafts] = useState(0);
  const signOut = useMutation({
    mutationFn: () => unwrap(client.POST('/api/dashboard/sign-out')),
    throwOnError: true,
    onSuccess: () => {
      leaveSession(queryClient);
      return router.navigate({ to: '/sign-in' });
    },
  });
  return (
    <Menu
      position="bottom-end"
      width={260}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      onOpen={() => setDrafts(countDraftsOf(user.userId))}
    >
      <Menu.Target>
        <Button variant="default" px="sm" aria-label={`Account of ${user.name}`}>
          <IconUser size={18} aria-hidden />
          <Text size="sm" truncate maw={140} ml="xs" visibleFrom="xs">
            {user.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item leftSection={<IconUserCog size={18} />} onClick={() => void router.navigate({ to: '/account' })}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={18} />} disabled={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
          {drafts > 0 && (
            <Text size="xs" c="dimmed">
              Discards {drafts === 1 ? 'your draft' : `your ${drafts} drafts`} in this browser
            </Text>
          )}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

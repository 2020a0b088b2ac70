import { Button, Menu, Text } from '@mantine/core';
import { IconLogout, IconUser, IconUserCog } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { unwrap, client } from '../api/client';
import { type Session, endSession } from '../api/session';

export function AccountMenu({ user }: { user: Session['user'] }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const signOut = useMutation({
    mutationFn: () => unwrap(client.POST('/api/dashboard/sign-out')),
    throwOnError: true,
    onSuccess: () => {
      endSession(queryClient);
      return router.navigate({ to: '/sign-in' });
    },
  });
  return (
    <Menu position="bottom-end" width={260} withInitialFocusPlaceholder={false}>
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
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { ErrorAlert } from '../../parts/error-alert';
import { Ago, Instant } from '../../parts/instant';
import { describeBrowser } from './describe-browser';

type SessionRow = components['schemas']['SessionListingDto'];

export function Sessions() {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => ({ items: await unwrap(client.GET('/api/dashboard/sessions')), next: null }),
  });
  const reload = () => queryClient.invalidateQueries({ queryKey: ['sessions'] });
  const end = useMutation({
    mutationFn: (sessionId: string) =>
      unwrap(client.DELETE('/api/dashboard/sessions/{sessionId}', { params: { path: { sessionId } } })),
    onSettled: reload,
  });
  const endOthers = useMutation({
    mutationFn: () => unwrap(client.POST('/api/dashboard/sessions/end-others')),
    onSettled: reload,
  });
  const hasOthers = (query.data?.items.length ?? 0) > 1;
  return (
    <Stack gap="sm" mt="md">
      <Group justify="space-between">
        <Title order={2}>Where you are signed in</Title>
        <Button
          variant="default"
          disabled={!hasOthers}
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          Sign out all others
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        A session ends after twelve hours without use, at the latest after one week.
      </Text>
      <ErrorAlert error={end.error ?? endOthers.error} />
      <DataTable
        label="Sessions"
        columns={[
          ...COLUMNS,
          signOutColumn((sessionId) => end.mutate(sessionId), end.isPending ? end.variables : null),
        ]}
        query={query}
        rowKey={({ sessionId }) => sessionId}
        empty={<EmptyState title="No session" text="Sign in again." />}
      />
    </Stack>
  );
}

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    header: 'Browser',
    cell: ({ userAgent, isCurrent }) => (
      <Group gap="xs" wrap="nowrap" title={userAgent}>
        {describeBrowser(userAgent)}
        {isCurrent && (
          <Badge variant="default" radius="sm" tt="none" fw={500}>
            This browser
          </Badge>
        )}
      </Group>
    ),
  },
  { header: 'Network address', cell: ({ ip }) => ip },
  { header: 'Signed in', cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { header: 'Last use', cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
];

function signOutColumn(signOut: (sessionId: string) => void, ending: string | null): Column<SessionRow> {
  return {
    header: 'Actions',
    align: 'right',
    cell: ({ sessionId, isCurrent, userAgent, ip }) =>
      isCurrent ? null : (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Sign out ${describeBrowser(userAgent)} at ${ip}`}
          loading={ending === sessionId}
          onClick={() => signOut(sessionId)}
        >
          Sign out
        </Button>
      ),
  };
}

import { Button, Group, Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { hasRole, reloadSession } from '../../api/session';
import { CsvLink } from '../../parts/csv-link';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { Instant } from '../../parts/instant';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { formatRole } from '../../parts/roles';
import { useOrganisation, useSession } from '../../shell/use-session';
import { ChangeRoleDialog, type MemberRow } from './change-role-dialog';
import { DepartureDialog, type KeyChoice } from './departure-dialog';
import { InviteDialog } from './invite-dialog';
import { OpenInvitations } from './open-invitations';

const route = getRouteApi('/signed-in/o/$tenantId/members');

type Dialog = { kind: 'invite' } | { kind: 'role' | 'remove' | 'leave'; of: MemberRow };

export function MembersPage() {
  const organisation = useOrganisation();
  const { tenantId } = organisation;
  const { user } = useSession();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const isOwner = hasRole(organisation, 'owner');
  const cursor = getCursor(search);
  const query = useQuery({
    queryKey: ['members', tenantId, cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/members', {
          params: { path: { tenantId }, query: { cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Members"
      actions={
        <>
          <CsvLink href={`/api/dashboard/organisations/${tenantId}/members.csv`} />
          {isOwner && (
            <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setDialog({ kind: 'invite' })}>
              Invite
            </Button>
          )}
        </>
      }
    >
      <DataTable
        label="Members"
        columns={columnsFor({ isOwner, userId: user.userId, open: setDialog })}
        query={query}
        rowKey={({ userId }) => userId}
        paging={search}
        onPaging={(paging) => void navigate({ search: paging })}
        empty={<EmptyState title="No members" text="Load the page again." />}
      />
      {isOwner && <OpenInvitations />}
      <OpenDialog dialog={dialog} onClose={() => setDialog(null)} />
    </Page>
  );
}

interface ColumnsFor {
  isOwner: boolean;
  userId: string;
  open: (dialog: Dialog) => void;
}

function columnsFor({ isOwner, userId, open }: ColumnsFor): Column<MemberRow>[] {
  const button = (label: string, kind: 'role' | 'remove' | 'leave', of: MemberRow) => (
    <Button
      size="compact-sm"
      variant="default"
      c={kind === 'role' ? undefined : 'var(--mantine-color-error)'}
      aria-label={kind === 'leave' ? 'Leave the organisation' : `${label} of ${of.name}`}
      onClick={() => open({ kind, of })}
    >
      {label}
    </Button>
  );
  return [
    {
      header: 'Name',
      cell: ({ name, userId: id }) => (
        <Text inherit miw={140} style={{ overflowWrap: 'anywhere' }}>
          {name}
          {id === userId ? ' (you)' : ''}
        </Text>
      ),
    },
    { header: 'E-mail', cell: ({ email }) => email },
    { header: 'Role', isAside: true, cell: ({ role }) => formatRole(role) },
    { header: 'Member since', cell: ({ joinedAt }) => <Instant at={joinedAt} /> },
    {
      header: 'Actions',
      align: 'right',
      cell: (member) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {isOwner && button('Change role', 'role', member)}
          {member.userId === userId ? button('Leave', 'leave', member) : isOwner && button('Remove', 'remove', member)}
        </Group>
      ),
    },
  ];
}

function OpenDialog({ dialog, onClose }: { dialog: Dialog | null; onClose: () => void }) {
  const { tenantId, name: organisation } = useOrganisation();
  const queryClient = useQueryClient();
  const router = useRouter();
  const reload = async () => {
    await queryClient.invalidateQueries({ queryKey: ['members', tenantId] });
    await queryClient.invalidateQueries({ queryKey: ['invitations', tenantId] });
    await reloadSession(queryClient);
    await router.invalidate();
  };
  const left = async () => {
    await reloadSession(queryClient);
    await router.navigate({ to: '/' });
  };
  if (dialog === null) return null;
  if (dialog.kind === 'invite') return <InviteDialog onMade={reload} onClose={onClose} />;
  const { userId, name } = dialog.of;
  if (dialog.kind === 'role') return <ChangeRoleDialog member={dialog.of} onDone={reload} onClose={onClose} />;
  const isRemoval = dialog.kind === 'remove';
  return (
    <DepartureDialog
      title={isRemoval ? `Remove ${name}?` : `Leave ${organisation}?`}
      confirm={isRemoval ? 'Remove member' : 'Leave'}
      who={isRemoval ? name : 'You'}
      call={(keys) => unwrap(isRemoval ? remove({ tenantId, userId, keys }) : leave({ tenantId, keys }))}
      onDone={isRemoval ? reload : left}
      onClose={onClose}
    >
      {isRemoval
        ? `${name} loses access to ${organisation} immediately, and all invitations by this member are revoked.`
        : 'You lose access immediately. Only an owner can invite you again.'}
    </DepartureDialog>
  );
}

interface Departure {
  tenantId: string;
  keys: KeyChoice | undefined;
}

function remove({ tenantId, userId, keys }: Departure & { userId: string }) {
  return client.DELETE('/api/dashboard/organisations/{tenantId}/members/{userId}', {
    params: { path: { tenantId, userId }, query: { keys } },
  });
}

function leave({ tenantId, keys }: Departure) {
  return client.POST('/api/dashboard/organisations/{tenantId}/leave', {
    params: { path: { tenantId }, query: { keys } },
  });
}

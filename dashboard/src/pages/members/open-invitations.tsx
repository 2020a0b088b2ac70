import { Button, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { Instant } from '../../parts/instant';
import { getCursor, type Paging } from '../../parts/paging';
import { formatRole } from '../../parts/roles';
import { useOrganisation } from '../../shell/use-session';

type Invitation = components['schemas']['InvitationDto'];

export function OpenInvitations() {
  const { tenantId } = useOrganisation();
  const queryClient = useQueryClient();
  const [revoked, setRevoked] = useState<Invitation | null>(null);
  const [paging, setPaging] = useState<Paging>({});
  const cursor = getCursor(paging);
  const query = useQuery({
    queryKey: ['invitations', tenantId, cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/invitations', {
          params: { path: { tenantId }, query: { cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="sm" mt="md">
      <Title order={2}>Open invitations</Title>
      <DataTable
        label="Open invitations"
        columns={[...COLUMNS, { header: 'Actions', align: 'right', cell: (one) => revokeButton(one, setRevoked) }]}
        query={query}
        rowKey={({ invitationId }) => invitationId}
        {...(paging.pages === undefined && (query.data?.next ?? null) === null ? {} : { paging, onPaging: setPaging })}
        empty={
          <EmptyState
            title="No open invitation"
            text="Choose “Invite” to create a link. Links that have not been used appear here."
          />
        }
      />
      {revoked !== null && (
        <ConfirmDialog
          title="Revoke the invitation?"
          confirm="Revoke invitation"
          call={() => {
            const path = { tenantId, invitationId: revoked.invitationId };
            return unwrap(
              client.DELETE('/api/dashboard/organisations/{tenantId}/invitations/{invitationId}', { params: { path } }),
            );
          }}
          onDone={() => queryClient.invalidateQueries({ queryKey: ['invitations', tenantId] })}
          onClose={() => setRevoked(null)}
        >
          <Text size="sm">The link of {revoked.email} ends immediately. You can invite them again.</Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

const COLUMNS: readonly Column<Invitation>[] = [
  { header: 'E-mail', cell: ({ email }) => email },
  { header: 'Role', isAside: true, cell: ({ role }) => formatRole(role) },
  { header: 'Invited by', cell: ({ invitedBy }) => invitedBy },
  { header: 'Ends', cell: ({ expiresAt }) => <Instant at={expiresAt} /> },
];

function revokeButton(invitation: Invitation, open: (invitation: Invitation) => void) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      c="var(--mantine-color-error)"
      aria-label={`Revoke the invitation of ${invitation.email}`}
      onClick={() => open(invitation)}
    >
      Revoke
    </Button>
  );
}

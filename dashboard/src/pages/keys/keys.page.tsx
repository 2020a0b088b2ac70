import { Button, Code, Group, Text } from '@mantine/core';
import { IconBan, IconCircleCheck, IconClock, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { hasRole } from '../../api/session';
import { Actor } from '../../parts/actor';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { CsvLink } from '../../parts/csv-link';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { formatEnvironment } from '../../parts/format';
import { Day, Instant } from '../../parts/instant';
import { type BadgeStyle, StyledBadge } from '../../parts/styled-badge';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { useOrganisation } from '../../shell/use-session';
import { CreateKeyDialog } from './create-key-dialog';
import type { Key, MadeKey } from './key';
import { KeyActivity } from './key-activity';
import { RotateKeyDialog, type RotatedKey } from './rotate-key-dialog';
import { ShownKey } from './shown-key';

const route = getRouteApi('/signed-in/o/$tenantId/keys');

const STATES: Record<Key['state'], BadgeStyle> = {
  Active: { label: 'Active', color: 'green', icon: IconCircleCheck },
  Ending: { label: 'Replaced, ending', color: 'orange', icon: IconClock },
  Expired: { label: 'Expired', color: 'gray', icon: IconBan },
  Revoked: { label: 'Revoked', color: 'gray', icon: IconBan },
};

const COLUMNS: readonly Column<Key>[] = [
  {
    header: 'Name',
    cell: ({ name }) => (
      <Text inherit miw={100} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    ),
  },
  { header: 'Environment', isAside: true, cell: ({ environment }) => formatEnvironment(environment) },
  {
    header: 'Key',
    cell: ({ prefix, lastFour }) => (
      <Code style={{ whiteSpace: 'nowrap' }}>
        {prefix}…{lastFour}
      </Code>
    ),
  },
  { header: 'State', cell: ({ state }) => <StyledBadge style={STATES[state]} /> },
  { header: 'Created', cell: ({ createdAt }) => <Day at={createdAt} /> },
  { header: 'Created by', cell: ({ createdBy }) => <Actor actor={createdBy} unknown="Operator" /> },
  { header: 'Last use', cell: ({ lastUsedAt }) => <Day at={lastUsedAt} never="Not yet" /> },
  {
    header: 'Ends',
    cell: ({ expiresAt, revokedAt }) => <Instant at={revokedAt ?? expiresAt} never="Never" />,
  },
];

type Dialog =
  | { kind: 'create' }
  | { kind: 'rotate'; of: Key }
  | { kind: 'revoke'; of: Key }
  | { kind: 'shown'; made: MadeKey | RotatedKey };

export function KeysPage() {
  const organisation = useOrganisation();
  const { tenantId } = organisation;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const cursor = getCursor(search);
  const query = useQuery({
    queryKey: ['keys', tenantId, cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/keys', {
          params: { path: { tenantId }, query: { cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const mayChange = hasRole(organisation, 'member');
  const reload = () => queryClient.invalidateQueries({ queryKey: ['keys', tenantId] });
  const show = async (made: MadeKey | RotatedKey) => {
    setDialog({ kind: 'shown', made });
    await reload();
  };
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setDialog({ kind: 'create' })}>
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      actions={
        <>
          <CsvLink href={`/api/dashboard/organisations/${tenantId}/keys.csv`} />
          {mayChange && create}
        </>
      }
    >
      <DataTable
        label="API keys"
        columns={mayChange ? [...COLUMNS, actionsColumn(setDialog)] : COLUMNS}
        query={query}
        rowKey={({ keyId }) => keyId}
        paging={search}
        onPaging={(paging) => void navigate({ search: paging })}
        empty={
          <EmptyState
            title="No API key yet"
            text="Your systems send documents with an API key. Start with a sandbox key: sandbox documents have no legal effect."
            action={mayChange ? create : undefined}
          />
        }
      />
      <OpenDialog dialog={dialog} onMade={show} onClose={() => setDialog(null)} reload={reload} />
    </Page>
  );
}

function actionsColumn(open: (dialog: Dialog) => void): Column<Key> {
  return {
    header: 'Actions',
    align: 'right',
    cell: (key) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        {key.state === 'Active' && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Rotate ${key.name} …${key.lastFour}`}
            onClick={() => open({ kind: 'rotate', of: key })}
          >
            Rotate
          </Button>
        )}
        {(key.state === 'Active' || key.state === 'Ending') && (
          <Button
            size="compact-sm"
            variant="default"
            c="var(--mantine-color-error)"
            aria-label={`Revoke ${key.name} …${key.lastFour}`}
            onClick={() => open({ kind: 'revoke', of: key })}
          >
            Revoke
          </Button>
        )}
      </Group>
    ),
  };
}

interface OpenDialogProps {
  dialog: Dialog | null;
  onMade: (made: MadeKey | RotatedKey) => unknown;
  onClose: () => void;
  reload: () => Promise<void>;
}

function OpenDialog({ dialog, onMade, onClose, reload }: OpenDialogProps) {
  const { tenantId } = useOrganisation();
  if (dialog === null) return null;
  if (dialog.kind === 'create') return <CreateKeyDialog onMade={onMade} onClose={onClose} />;
  if (dialog.kind === 'rotate') return <RotateKeyDialog rotated={dialog.of} onMade={onMade} onClose={onClose} />;
  if (dialog.kind === 'shown') {
    const { made } = dialog;
    return (
      <ShownKey made={made} onClose={onClose}>
        {'oldEndsAt' in made && (
          <Text size="sm">
            The old key works until <Instant at={made.oldEndsAt} hasZone />.
          </Text>
        )}
      </ShownKey>
    );
  }
  const { keyId, name, environment, prefix, lastFour } = dialog.of;
  const path = { tenantId, keyId };
  return (
    <ConfirmDialog
      title={`Revoke “${name}”?`}
      confirm="Revoke key"
      call={() => unwrap(client.DELETE('/api/dashboard/organisations/{tenantId}/keys/{keyId}', { params: { path } }))}
      onDone={reload}
      onClose={onClose}
    >
      <Text size="sm">
        The key{' '}
        <Code>
          {prefix}…{lastFour}
        </Code>{' '}
        stops working within a second. You cannot undo this. Accepted documents are not affected.
      </Text>
      <KeyActivity tenantId={tenantId} environment={environment} keyId={keyId} />
    </ConfirmDialog>
  );
}

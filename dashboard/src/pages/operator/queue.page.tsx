import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, client } from '../../api/client';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Count } from '../../parts/count';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { environmentName } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { listOf } from '../../parts/list-of';
import { Page } from '../../parts/page';
import { callName } from './call-name';
import { Blocked } from './blocked';
import { type Queue, QUEUE_KEY, useQueue } from './queue-query';

type Lane = Queue['lanes'][number];
type Pace = Queue['paces'][number];

const WORK: Record<Lane['operation'], string> = { submit: 'Documents', cancel: 'Cancellations' };

const LANE_COLUMNS: readonly Column<Lane>[] = [
  { header: 'Organisation', cell: ({ tenantName }) => tenantName },
  { header: 'Work', cell: ({ operation, environment }) => `${WORK[operation]}, ${environmentName(environment)}` },
  { header: 'Waiting', align: 'right', cell: ({ waiting }) => <Count value={waiting} /> },
  { header: 'Held notes', align: 'right', cell: ({ held }) => <Count value={held} /> },
  { header: 'In a call', align: 'right', cell: ({ processing }) => <Count value={processing} /> },
  { header: 'In doubt', align: 'right', cell: ({ inDoubt }) => <Count value={inDoubt} /> },
  { header: 'Oldest', cell: ({ oldestAt }) => <Instant at={oldestAt} /> },
];

const PACE_COLUMNS: readonly Column<Pace>[] = [
  { header: 'Environment', cell: ({ environment }) => environmentName(environment) },
  { header: 'Call', cell: ({ api }) => callName(api) },
  { header: 'Client id', cell: ({ clientId }) => clientId },
  { header: 'Next call', cell: ({ nextAt }) => <Instant at={nextAt} /> },
  { header: 'Failures in a row', align: 'right', cell: ({ failures }) => <Count value={failures} /> },
  { header: 'Stopped by', cell: (pace) => <Blocked until={pace.blockedUntil} reason={pace.blockedReason} /> },
];

export function QueuePage() {
  const query = useQueue();
  const [retrying, setRetrying] = useState<Lane | null>(null);
  const lanes = [...LANE_COLUMNS, heldUpColumn(setRetrying)];
  return (
    <Page title="Queue">
      <Text c="dimmed" size="sm">
        What waits for the authority, the longest wait first. Looked at every ten seconds.
      </Text>
      <DataTable
        label="What waits"
        columns={lanes}
        query={listOf(query, (queue) => queue.lanes)}
        rowKey={({ tenantId, environment, operation }) => `${tenantId} ${environment} ${operation}`}
        empty={<EmptyState title="Nothing waits" text="Every document and every cancellation has been sent." />}
      />
      <Stack gap="sm">
        <Title order={2}>Call budgets</Title>
        <DataTable
          label="Call budgets"
          columns={PACE_COLUMNS}
          query={listOf(query, (queue) => queue.paces)}
          rowKey={({ environment, api, clientId }) => `${environment} ${api} ${clientId}`}
          empty={<EmptyState title="No budget is kept" text="Calls are made without limits, or none was made yet." />}
        />
      </Stack>
      {retrying !== null && <RetryDialog lane={retrying} onClose={() => setRetrying(null)} />}
    </Page>
  );
}

function heldUpColumn(onRetry: (lane: Lane) => void): Column<Lane> {
  return {
    header: 'Held up by',
    cell: (lane) => (
      <Group gap="sm" wrap="nowrap" justify="space-between">
        <div>
          <Blocked until={lane.blockedUntil} reason={lane.blockedReason} />
        </div>
        <RetryButton lane={lane} onClick={onRetry} />
      </Group>
    ),
  };
}

function RetryButton({ lane, onClick }: { lane: Lane; onClick: (lane: Lane) => void }) {
  if (lane.blockedUntil === null) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      flex="none"
      aria-label={`Retry now what ${lane.tenantName} waits with`}
      onClick={() => onClick(lane)}
    >
      Retry now
    </Button>
  );
}

function RetryDialog({ lane, onClose }: { lane: Lane; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { tenantId, tenantName } = lane;
  return (
    <ConfirmDialog
      title="Retry now"
      confirm="Retry now"
      call={() => answer(client.POST('/api/dashboard/operator/lanes/retry', { body: { tenantId } }))}
      onDone={() => queryClient.invalidateQueries({ queryKey: QUEUE_KEY })}
      onClose={onClose}
    >
      <Text size="sm">
        Everything that {tenantName} waits with, in both environments, is tried at once instead of at its next time.
        When the reason still holds, it waits again; nothing is lost.
      </Text>
    </ConfirmDialog>
  );
}

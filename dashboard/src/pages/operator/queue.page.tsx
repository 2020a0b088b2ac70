import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Count } from '../../parts/count';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { formatEnvironment } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { toList } from '../../parts/to-list';
import { Page } from '../../parts/page';
import { formatCallName } from './call-name';
import { Blocked } from './blocked';
import { DeadLetters } from './dead-letters';
import { WaitingReason } from './waiting-reason';
import { type Queue, QUEUE_KEY, useQueue } from './queue-query';

type TenantQueue = Queue['tenantQueues'][number];
type CallBudget = Queue['callBudgets'][number];

const WORK: Record<TenantQueue['operation'], string> = { submit: 'Documents', cancel: 'Cancellations' };

const TENANT_QUEUE_COLUMNS: readonly Column<TenantQueue>[] = [
  { header: 'Organisation', cell: ({ tenantName }) => tenantName },
  { header: 'Work', cell: ({ operation, environment }) => `${WORK[operation]}, ${formatEnvironment(environment)}` },
  { header: 'Waiting', align: 'right', cell: ({ waiting }) => <Count value={waiting} /> },
  { header: 'Held notes', align: 'right', cell: ({ held }) => <Count value={held} /> },
  { header: 'In a call', align: 'right', cell: ({ processing }) => <Count value={processing} /> },
  { header: 'In doubt', align: 'right', cell: ({ inDoubt }) => <Count value={inDoubt} /> },
  { header: 'At the authority', align: 'right', cell: ({ atAuthority }) => <Count value={atAuthority} /> },
  { header: 'Later than usual', align: 'right', cell: ({ late }) => <Count value={late} /> },
  { header: 'Oldest', cell: ({ oldestAt }) => <Instant at={oldestAt} /> },
];

const CALL_BUDGET_COLUMNS: readonly Column<CallBudget>[] = [
  { header: 'Environment', cell: ({ environment }) => formatEnvironment(environment) },
  { header: 'Call', cell: ({ api }) => formatCallName(api) },
  { header: 'Client id', cell: ({ clientId }) => clientId },
  { header: 'Next call', cell: ({ nextAt }) => <Instant at={nextAt} /> },
  { header: 'Failures in a row', align: 'right', cell: ({ failures }) => <Count value={failures} /> },
  { header: 'Stopped by', cell: (budget) => <Blocked until={budget.blockedUntil} reason={budget.blockedReason} /> },
];

export function QueuePage() {
  const query = useQueue();
  const [retrying, setRetrying] = useState<TenantQueue | null>(null);
  const tenantQueues = [...TENANT_QUEUE_COLUMNS, holdColumn(setRetrying)];
  return (
    <Page title="Queue">
      <Text c="dimmed" size="sm">
        Documents and cancellations without an outcome, longest wait first. Updated every ten seconds.
      </Text>
      <DataTable
        label="Waiting documents and cancellations"
        columns={tenantQueues}
        query={toList(query, (queue) => queue.tenantQueues)}
        rowKey={({ tenantId, environment, operation }) => `${tenantId} ${environment} ${operation}`}
        empty={<EmptyState title="The queue is empty" text="Every document and every cancellation has an outcome." />}
      />
      <DeadLetters query={query} />
      <Stack gap="sm">
        <Title order={2}>Call budgets</Title>
        <DataTable
          label="Call budgets"
          columns={CALL_BUDGET_COLUMNS}
          query={toList(query, (queue) => queue.callBudgets)}
          rowKey={({ environment, api, clientId }) => `${environment} ${api} ${clientId}`}
          empty={<EmptyState title="No call budgets" text="There are no call limits, or no call has been made yet." />}
        />
      </Stack>
      {retrying !== null && <RetryDialog tenantQueue={retrying} onClose={() => setRetrying(null)} />}
    </Page>
  );
}

function holdColumn(onRetry: (tenantQueue: TenantQueue) => void): Column<TenantQueue> {
  return {
    header: 'Waiting for',
    cell: (tenantQueue) => (
      <Group gap="sm" wrap="nowrap" justify="space-between">
        <div>
          <WaitingReason tenantQueue={tenantQueue} />
        </div>
        <RetryButton tenantQueue={tenantQueue} onClick={onRetry} />
      </Group>
    ),
  };
}

function RetryButton({
  tenantQueue,
  onClick,
}: {
  tenantQueue: TenantQueue;
  onClick: (tenantQueue: TenantQueue) => void;
}) {
  if (tenantQueue.waitingUntil === null) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      flex="none"
      aria-label={`Retry now: ${tenantQueue.tenantName}`}
      onClick={() => onClick(tenantQueue)}
    >
      Retry now
    </Button>
  );
}

function RetryDialog({ tenantQueue, onClose }: { tenantQueue: TenantQueue; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { tenantId, tenantName } = tenantQueue;
  return (
    <ConfirmDialog
      title="Retry now"
      confirm="Retry now"
      call={() => unwrap(client.POST('/api/dashboard/operator/tenant-queues/retry', { body: { tenantId } }))}
      onDone={() => queryClient.invalidateQueries({ queryKey: QUEUE_KEY })}
      onClose={onClose}
    >
      <Text size="sm">
        All waiting documents and cancellations of {tenantName}, in both environments, are sent immediately instead of
        at their next attempt. If the reason persists, they wait again. No document is lost.
      </Text>
    </ConfirmDialog>
  );
}

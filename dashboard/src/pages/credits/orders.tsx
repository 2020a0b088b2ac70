import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Count } from '../../parts/count';
import { CsvLink } from '../../parts/csv-link';
import { type Column, DataTable } from '../../parts/data-table';
import { formatAmount } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { OrderStatus } from '../../parts/order-status';
import { PartTitle } from './lots';
import { CREDITS_REFRESH_MS } from './refresh';

type Order = components['schemas']['OrderDto'];

const LATEST = 10;

const COLUMNS: readonly Column<Order>[] = [
  { header: 'Ordered', cell: ({ requestedAt }) => <Instant at={requestedAt} /> },
  { header: 'Credits', align: 'right', cell: ({ credits }) => <Count value={credits} /> },
  { header: 'Price', align: 'right', cell: ({ price }) => (price === null ? '–' : formatAmount(price)) },
  { header: 'Payment reference', cell: ({ reference }) => reference },
  { header: 'Status', cell: ({ status, reason }) => <OrderStatus status={status} reason={reason} /> },
  { header: 'By', cell: ({ requestedBy }) => requestedBy },
  { header: 'Note', cell: ({ note }) => note ?? '–' },
];

/** Shows the latest orders. Renders nothing if there are none. */
export function Orders({ tenantId, mayCancel }: { tenantId: string; mayCancel: boolean }) {
  const [cancelling, setCancelling] = useState<Order | null>(null);
  const query = useQuery({
    queryKey: ['credits', tenantId, 'orders'],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/credits/orders', {
          params: { path: { tenantId }, query: { limit: LATEST } },
        }),
      ),
    refetchInterval: CREDITS_REFRESH_MS,
  });
  const columns = mayCancel ? [...COLUMNS, cancelColumn(setCancelling)] : COLUMNS;
  if (query.isPending || query.data?.items.length === 0) return null;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <PartTitle>Orders</PartTitle>
        <CsvLink href={`/api/dashboard/organisations/${tenantId}/credits/orders.csv`} />
      </Group>
      <DataTable label="Orders" columns={columns} query={query} rowKey={({ orderId }) => orderId} empty={null} />
      {cancelling !== null && (
        <CancelDialog tenantId={tenantId} order={cancelling} onClose={() => setCancelling(null)} />
      )}
    </Stack>
  );
}

function cancelColumn(onCancel: (order: Order) => void): Column<Order> {
  return {
    header: 'Actions',
    align: 'right',
    cell: (order) => <CancelButton order={order} onClick={onCancel} />,
  };
}

function CancelButton({ order, onClick }: { order: Order; onClick: (order: Order) => void }) {
  if (order.status !== 'Requested') return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      c="var(--mantine-color-error)"
      aria-label={`Cancel order of ${order.credits} credits`}
      onClick={() => onClick(order)}
    >
      Cancel order
    </Button>
  );
}

interface CancelDialogProps {
  tenantId: string;
  order: Order;
  onClose: () => void;
}

function CancelDialog({ tenantId, order, onClose }: CancelDialogProps) {
  const queryClient = useQueryClient();
  const { orderId, credits } = order;
  return (
    <ConfirmDialog
      title="Cancel the order"
      confirm="Cancel order"
      call={() =>
        unwrap(
          client.DELETE('/api/dashboard/organisations/{tenantId}/credits/orders/{orderId}', {
            params: { path: { tenantId, orderId } },
          }),
        )
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: ['credits', tenantId] })}
      onClose={onClose}
    >
      <Text size="sm">
        {credits.toLocaleString('en')} credits will not be granted. Cancel only an order that you have not paid.
      </Text>
    </ConfirmDialog>
  );
}

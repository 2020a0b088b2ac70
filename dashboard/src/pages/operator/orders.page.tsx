import { Button, Group, SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, client } from '../../api/client';
import { Count } from '../../parts/count';
import { CsvLink } from '../../parts/csv-link';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { formatAmount } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { OrderStatus } from '../../parts/order-status';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { ConfirmOrder, type Order, RefuseOrder } from './order-dialogs';

const COLUMNS: readonly Column<Order>[] = [
  { header: 'Organisation', cell: ({ organisation }) => organisation },
  { header: 'Credits', align: 'right', cell: ({ credits }) => <Count value={credits} /> },
  { header: 'Price', align: 'right', cell: ({ price }) => (price === null ? '–' : formatAmount(price)) },
  { header: 'Payment reference', cell: ({ reference }) => reference },
  { header: 'Note', cell: ({ note }) => note ?? '–' },
  { header: 'By', cell: ({ requestedBy }) => requestedBy },
  { header: 'Ordered', cell: ({ requestedAt }) => <Instant at={requestedAt} /> },
];

const DECIDED_COLUMNS: readonly Column<Order>[] = [
  ...COLUMNS,
  { header: 'Status', cell: ({ status, reason }) => <OrderStatus status={status} reason={reason} /> },
  { header: 'Decided', cell: ({ decidedAt }) => <Instant at={decidedAt} /> },
];

interface Deciding {
  order: Order;
  how: 'confirm' | 'refuse';
}

const route = getRouteApi('/signed-in/operator/orders');

export function OrdersPage() {
  const { status = 'open', ...paging } = route.useSearch();
  const navigate = route.useNavigate();
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const cursor = getCursor(paging);
  const query = useQuery({
    queryKey: ['operator', 'orders', status, cursor],
    queryFn: () => unwrap(client.GET('/api/dashboard/operator/orders', { params: { query: { status, cursor } } })),
    placeholderData: keepPreviousData,
  });
  const filter = status === 'decided' ? { status } : {};
  const close = () => setDeciding(null);
  return (
    <Page title="Orders" actions={<CsvLink href={`/api/dashboard/operator/orders.csv?status=${status}`} />}>
      <DataTable
        label="Orders"
        columns={status === 'decided' ? DECIDED_COLUMNS : [...COLUMNS, actionsColumn(setDeciding)]}
        query={query}
        rowKey={({ orderId }) => orderId}
        filters={
          <SegmentedControl
            aria-label="Which orders"
            value={status}
            onChange={(value) => void navigate({ search: value === 'decided' ? { status: value } : {} })}
            data={[
              { value: 'open', label: 'Waiting' },
              { value: 'decided', label: 'Decided' },
            ]}
          />
        }
        empty={<EmptyState title="No orders" text="Orders appear here until they are decided." />}
        paging={paging}
        onPaging={(pages) => void navigate({ search: { ...filter, ...pages } })}
      />
      {deciding?.how === 'confirm' && <ConfirmOrder order={deciding.order} onClose={close} />}
      {deciding?.how === 'refuse' && <RefuseOrder order={deciding.order} onClose={close} />}
    </Page>
  );
}

function actionsColumn(onDecide: (deciding: Deciding) => void): Column<Order> {
  return {
    header: 'Decide',
    cell: (order) => (
      <Group gap="xs" wrap="nowrap">
        <Button
          size="compact-sm"
          aria-label={`Confirm payment of ${order.organisation}, ${order.credits} credits`}
          onClick={() => onDecide({ order, how: 'confirm' })}
        >
          Confirm payment
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          c="var(--mantine-color-error)"
          aria-label={`Refuse the order of ${order.organisation}, ${order.credits} credits`}
          onClick={() => onDecide({ order, how: 'refuse' })}
        >
          Refuse
        </Button>
      </Group>
    ),
  };
}

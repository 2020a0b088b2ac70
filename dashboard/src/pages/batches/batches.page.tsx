import { Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { toQuery, withoutEmpty } from '../../parts/address-query';
import { Actor, SubmitterSelect } from '../../parts/actor';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { formatCount } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { ListActions } from '../../parts/list-actions';
import { chooseRefreshMs } from '../../parts/live';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { StatusBadge } from '../../parts/status-badge';
import { useScope } from '../../shell/use-session';

type Batch = components['schemas']['BatchDto'];

const route = getRouteApi('/signed-in/o/$tenantId/$environment/batches');

const COUNTS: readonly (readonly [member: keyof Batch['counts'], word: string])[] = [
  ['queued', 'queued'],
  ['processing', 'processing'],
  ['submitted', 'submitted'],
  ['valid', 'valid'],
  ['invalid', 'invalid'],
  ['submitFailed', 'failed to submit'],
  ['cancelled', 'cancelled'],
];

const TYPES: Readonly<Record<Batch['submissionType'], string>> = {
  'non-consolidated': 'Non-consolidated',
  consolidated: 'Consolidated',
};

const COLUMNS: readonly Column<Batch>[] = [
  { header: 'Accepted', cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { header: 'Status', isAside: true, cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Documents', cell: ({ documentCount }) => formatCount(documentCount), align: 'right' },
  { header: 'Documents by status', cell: (batch) => <Counts batch={batch} /> },
  { header: 'Submitted by', cell: ({ submittedBy }) => <Actor actor={submittedBy} /> },
  {
    header: 'Type',
    cell: ({ submissionType }) => <span style={{ whiteSpace: 'nowrap' }}>{TYPES[submissionType]}</span>,
  },
  {
    header: 'Batch id',
    cell: ({ submissionBatchId }) => (
      <Text size="xs" miw={120}>
        {submissionBatchId}
      </Text>
    ),
  },
];

export function BatchesPage() {
  const { tenantId, environment } = useScope();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const cursor = getCursor(search);
  const { by } = search;
  const query = useQuery({
    queryKey: ['batches', tenantId, environment, by, cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/batches', {
          params: { path: { tenantId, environment }, query: { by, cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => chooseRefreshMs(state.data?.items),
  });
  const address = `/api/dashboard/organisations/${tenantId}/${environment}/batches.csv${toQuery(withoutEmpty({ by }))}`;
  return (
    <Page title="Batches" actions={<ListActions csv={address} onRefresh={() => query.refetch()} />}>
      <DataTable
        label="batches"
        columns={COLUMNS}
        query={query}
        rowKey={({ submissionBatchId }) => submissionBatchId}
        rowLink={({ submissionBatchId }) => ({
          to: '/o/$tenantId/$environment/transactions',
          params: { tenantId, environment },
          search: { batch: submissionBatchId, attempts: 'all' },
        })}
        filters={
          <SubmitterSelect
            scope={{ tenantId, environment }}
            by={by}
            onChange={(chosen) => void navigate({ search: withoutEmpty({ by: chosen }) })}
          />
        }
        empty={
          by === undefined ? (
            <EmptyState title="No batches yet" text="Each accepted submission is a batch of 1 to 100 documents." />
          ) : (
            <EmptyState title="No batches from this key or person" text="Remove the filter to see all batches." />
          )
        }
        paging={search}
        onPaging={(paging) => void navigate({ search: withoutEmpty({ by, ...paging }) })}
      />
      <Text size="xs" c="dimmed">
        Each accepted submission is a batch. Select a row to see its documents.
      </Text>
    </Page>
  );
}

function Counts({ batch: { counts, replacedCount } }: { batch: Batch }) {
  const shown = [
    ...COUNTS.map(([member, word]) => [counts[member], word] as const),
    [replacedCount, 'replaced'] as const,
  ];
  return (
    <Group gap="xs">
      {shown
        .filter(([count]) => count > 0)
        .map(([count, word]) => (
          <Text key={word} size="sm">
            {formatCount(count)} {word}
          </Text>
        ))}
    </Group>
  );
}

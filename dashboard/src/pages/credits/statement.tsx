import { Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { Count } from '../../parts/count';
import { type Column, DataTable } from '../../parts/data-table';
import { CsvLink } from '../../parts/csv-link';
import { EmptyState } from '../../parts/empty-state';
import { formatEnvironment } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { formatDay } from '../../parts/malaysian-time';
import { getCursor } from '../../parts/paging';
import { PartTitle } from './lots';
import { CREDITS_REFRESH_MS } from './refresh';

type Entry = components['schemas']['CreditEntryDto'];

const KINDS: Record<Entry['kind'], string> = {
  submit: 'Submission',
  cancel: 'Cancellation',
  grant: 'Added',
  expire: 'Expired',
};

const COLUMNS: readonly Column<Entry>[] = [
  { header: 'When', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Kind', cell: ({ kind }) => KINDS[kind] },
  {
    header: 'Purpose',
    cell: ({ purpose }) => (
      <Text size="sm" miw={180}>
        {purpose.replaceAll(/\d{4}-\d\d-\d\d/g, formatDay)}
      </Text>
    ),
  },
  { header: 'Environment', cell: ({ environment }) => (environment === null ? '–' : formatEnvironment(environment)) },
  { header: 'Credits', isAside: true, align: 'right', cell: ({ amount }) => <Count value={amount} isChange /> },
  { header: 'Balance', align: 'right', cell: ({ balanceAfter }) => <Count value={balanceAfter} /> },
];

const route = getRouteApi('/signed-in/o/$tenantId/credits');

export function Statement({ tenantId }: { tenantId: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const cursor = getCursor(search);
  const query = useQuery({
    queryKey: ['credits', tenantId, 'entries', cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/credits/entries', {
          params: { path: { tenantId }, query: { cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: CREDITS_REFRESH_MS,
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <PartTitle>Statement</PartTitle>
        <CsvLink href={`/api/dashboard/organisations/${tenantId}/credits/entries.csv`} />
      </Group>
      <DataTable
        label="Statement"
        columns={COLUMNS}
        query={query}
        rowKey={({ sequence }) => String(sequence)}
        empty={
          <EmptyState
            title="No entries yet"
            text="Each accepted document, each cancellation and each paid order appears here."
          />
        }
        paging={search}
        onPaging={(paging) => void navigate({ search: paging })}
      />
    </Stack>
  );
}

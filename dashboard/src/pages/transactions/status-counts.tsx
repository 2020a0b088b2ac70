import { Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import { formatStatus } from '../../parts/status-badge';
import { type ListFilters, STATUSES, withoutStatus } from './list-search';

interface StatusCountsProps {
  place: { tenantId: string; environment: 'sandbox' | 'production' };
  filters: ListFilters;
  onChange: (filters: ListFilters) => void;
}

/** How many documents of the list stand where; each leads to those alone, and back to all. */
export function StatusCounts({ place, filters, onChange }: StatusCountsProps) {
  const others = withoutStatus(filters);
  const { data } = useQuery({
    queryKey: ['transactions', place.tenantId, place.environment, 'counts', others],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transaction-counts', {
          params: { path: place, query: others },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const counts = (data?.counts ?? []).filter(({ documents, hasMore }) => documents > 0 || hasMore);
  return (
    <Group component="section" gap="xs" aria-label="Documents by status" mih={30}>
      {counts.map(({ status, documents, hasMore }) => {
        const isChosen = filters.status === status;
        const chosen = STATUSES.find((one) => one === status);
        return (
          <Button
            key={status}
            size="compact-sm"
            variant={isChosen ? 'filled' : 'default'}
            aria-pressed={isChosen}
            onClick={() => onChange({ ...filters, status: isChosen ? undefined : chosen })}
          >
            {`${formatStatus(status)} ${documents.toLocaleString('en')}${hasMore ? '+' : ''}`}
          </Button>
        );
      })}
    </Group>
  );
}

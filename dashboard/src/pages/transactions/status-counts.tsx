import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Scope } from '../../api/session';
import { useNarrow } from '../../parts/use-narrow';
import { formatStatus } from '../../parts/status-badge';
import { countsQuery, formatTotal } from './counts';
import { type ListFilters, STATUSES } from './list-search';

interface StatusCountsProps {
  scope: Scope;
  filters: ListFilters;
  onChange: (changed: ListFilters) => void;
}

/** Shows the number of documents per status. Each button filters by its status or removes the filter. */
export function StatusCounts({ scope, filters, onChange }: StatusCountsProps) {
  const { data } = useQuery(countsQuery(scope, filters));
  // A narrow window shows one row that scrolls horizontally.
  const isNarrow = useNarrow();
  const counts = (data?.counts ?? []).filter(({ documents, hasMore }) => documents > 0 || hasMore);
  return (
    <Group
      component="section"
      gap="xs"
      aria-label="Documents by status"
      mih={30}
      wrap={isNarrow ? 'nowrap' : 'wrap'}
      style={{ overflowX: 'auto' }}
    >
      {counts.map((count) => {
        const { status } = count;
        const isChosen = filters.status === status;
        const chosen = STATUSES.find((one) => one === status);
        return (
          <Button
            key={status}
            size="compact-sm"
            flex="none"
            variant={isChosen ? 'filled' : 'default'}
            aria-pressed={isChosen}
            onClick={() => onChange({ status: isChosen ? undefined : chosen })}
          >
            {`${formatStatus(status)} ${formatTotal(count)}`}
          </Button>
        );
      })}
    </Group>
  );
}

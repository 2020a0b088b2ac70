import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { client, unwrap } from '../../api/client';
import { Actor } from '../../parts/actor';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { Instant } from '../../parts/instant';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { useScope } from '../../shell/use-session';
import { describeCounts, describeJob, describeStatus, isWorking, type Job } from './job';

const route = getRouteApi('/signed-in/o/$tenantId/$environment/bulk');

const WORKING_MS = 2_000;
const RESTING_MS = 30_000;

const COLUMNS: readonly Column<Job>[] = [
  { header: 'Job', cell: (job) => describeJob(job) },
  { header: 'Status', cell: (job) => describeStatus(job) },
  { header: 'Documents', cell: (job) => describeCounts(job) },
  { header: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { header: 'By', cell: ({ by }) => <Actor actor={by} /> },
];

export function BulkJobsPage() {
  const { tenantId, environment } = useScope();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const cursor = getCursor(search);
  const query = useQuery({
    queryKey: ['bulk-jobs', tenantId, environment, 'list', cursor],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/bulk-jobs', {
          params: { path: { tenantId, environment }, query: { cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isWorking) === true ? WORKING_MS : RESTING_MS),
  });
  return (
    <Page title="Bulk jobs">
      <DataTable
        label="bulk jobs"
        columns={COLUMNS}
        query={query}
        rowKey={({ jobId }) => jobId}
        rowLink={({ jobId }) => ({
          to: '/o/$tenantId/$environment/bulk/$jobId',
          params: { tenantId, environment, jobId },
        })}
        empty={
          <EmptyState
            title="No bulk job yet"
            text="Choose “Correct all” under “Needs action”, or open “Actions” above the list of documents."
          />
        }
        paging={search}
        onPaging={(paging) => void navigate({ search: paging })}
      />
    </Page>
  );
}

import { Button, Group, Paper, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlayerPause, IconSend } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { client, unwrap } from '../../api/client';
import { asFailure } from '../../api/errors';
import { hasRole, type Scope } from '../../api/session';
import { CsvLink } from '../../parts/csv-link';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { ErrorAlert } from '../../parts/error-alert';
import { formatCount } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { ButtonLink, TextLink } from '../../parts/links';
import { formatDocuments } from '../../parts/needs-action/causes';
import { Notice } from '../../parts/notice';
import { Page } from '../../parts/page';
import { getCursor } from '../../parts/paging';
import { toWords } from '../../parts/field-names';
import { withFullStop } from '../../parts/sentence';
import { StatusBadge } from '../../parts/status-badge';
import { useOrganisation, useScope } from '../../shell/use-session';
import {
  canContinue,
  describeCounts,
  describeJob,
  describeState,
  describeStatus,
  isWorking,
  type Item,
  type JobDetail,
} from './job';

const route = getRouteApi('/signed-in/o/$tenantId/$environment/bulk/$jobId');

const WORKING_MS = 1_000;
const RESTING_MS = 15_000;
const ITEMS_MS = 3_000;

const COLUMNS: readonly Column<Item>[] = [
  { header: 'Document', cell: ({ referenceId }) => referenceId },
  { header: 'Result', cell: (item) => <Result item={item} /> },
  { header: 'Status now', isAside: true, cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Credits', cell: ({ credits }) => formatCount(credits), align: 'right' },
];

export function BulkJobPage() {
  const scope = useScope();
  const { jobId } = route.useParams();
  const query = useQuery({
    queryKey: ['bulk-jobs', scope.tenantId, scope.environment, jobId],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/bulk-jobs/{jobId}', {
          params: { path: { ...scope, jobId } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data !== undefined && isWorking(state.data) ? WORKING_MS : RESTING_MS),
  });
  const job = query.data;
  if (query.error !== null && asFailure(query.error).status === 404) return <NoSuchJob scope={scope} />;
  const csv = `/api/dashboard/organisations/${scope.tenantId}/${scope.environment}/bulk-jobs/${jobId}/items.csv`;
  return (
    <Page
      title={job === undefined ? 'Bulk job' : describeJob(job)}
      actions={
        <>
          <ButtonLink to="/o/$tenantId/$environment/bulk" params={scope} variant="default">
            All bulk jobs
          </ButtonLink>
          <CsvLink href={csv} />
        </>
      }
    >
      <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      {job === undefined ? (
        !query.isError && (
          <section aria-label="Loading …">
            <Skeleton h={140} />
          </section>
        )
      ) : (
        <>
          <Overview scope={scope} job={job} />
          <Items scope={scope} job={job} />
        </>
      )}
    </Page>
  );
}

function NoSuchJob({ scope }: { scope: Scope }) {
  return (
    <Page title="Bulk job">
      <EmptyState
        title="This bulk job was not found"
        text={`The address is wrong, or the job does not belong to this organisation in ${scope.environment}.`}
        action={
          <ButtonLink to="/o/$tenantId/$environment/bulk" params={scope}>
            Go to the bulk jobs
          </ButtonLink>
        }
      />
    </Page>
  );
}

function Overview({ scope, job }: { scope: Scope; job: JobDetail }) {
  const { documents, counts, value, kind, requiredCredits, remainingCredits, chargedCredits } = job;
  const open = job.status === 'checking' ? counts.waiting : counts.ready;
  const percent = Math.round(((documents - open) / documents) * 100);
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Text style={{ overflowWrap: 'anywhere' }}>
          {kind === 'cancel' ? 'Reason' : 'New value'}: <b>{value}</b>
        </Text>
        {isWorking(job) && <Progress value={percent} aria-label={describeStatus(job)} />}
        <Text component="output" aria-live="polite">
          <b>{describeStatus(job)}</b>: {describeCounts(job)}
        </Text>
        <Text size="sm">
          {chargedCredits > 0 && `Charged: ${formatCredits(chargedCredits)}. `}
          {requiredCredits > 0 && `Still to send: ${formatCredits(requiredCredits)}. `}
          You have {formatCredits(remainingCredits)}.
        </Text>
        <Notices scope={scope} job={job} />
        <JobButtons scope={scope} job={job} />
      </Stack>
    </Paper>
  );
}

function Notices({ scope, job }: { scope: Scope; job: JobDetail }) {
  const { isCut, pauseReason, waitsUntil, waitReason, requiredCredits, remainingCredits } = job;
  return (
    <>
      {isCut && (
        <Text size="sm">
          More documents match than one job can change. Create another job for the remaining documents afterwards.
        </Text>
      )}
      {requiredCredits > remainingCredits && (
        <Notice kind="warning" title="You do not have enough credits for all documents">
          The job pauses when they are used up.{' '}
          <TextLink to="/o/$tenantId/credits" params={scope}>
            Order credits
          </TextLink>
          , then continue it.
        </Notice>
      )}
      {pauseReason !== null && (
        <Notice kind="waiting" title="Paused">
          {pauseReason}
        </Notice>
      )}
      {waitsUntil !== null && (
        <Notice kind="waiting" title="Waiting">
          {waitReason !== null && withFullStop(waitReason)} The job continues automatically on{' '}
          <Instant at={waitsUntil} hasSeconds />.
        </Notice>
      )}
      {isWorking(job) && (
        <Text size="sm" c="dimmed">
          The job continues when you close this page.
        </Text>
      )}
    </>
  );
}

function JobButtons({ scope, job }: { scope: Scope; job: JobDetail }) {
  const queryClient = useQueryClient();
  const mayChange = hasRole(useOrganisation(), 'member');
  const path = { ...scope, jobId: job.jobId };
  const change = useMutation({
    mutationFn: (action: 'start' | 'pause') =>
      unwrap(
        action === 'start'
          ? client.POST('/api/dashboard/organisations/{tenantId}/{environment}/bulk-jobs/{jobId}/start', {
              params: { path },
            })
          : client.POST('/api/dashboard/organisations/{tenantId}/{environment}/bulk-jobs/{jobId}/pause', {
              params: { path },
            }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['bulk-jobs', scope.tenantId, scope.environment] }),
  });
  const { ready, waiting } = job.counts;
  if (!mayChange || (change.error === null && !canContinue(job))) return null;
  return (
    <Group gap="xs">
      <ErrorAlert error={change.error} />
      {job.status === 'checked' && ready > 0 && (
        <Button leftSection={<IconSend size={16} />} loading={change.isPending} onClick={() => change.mutate('start')}>
          {job.kind === 'cancel' ? 'Cancel' : 'Send'} {formatDocuments(ready)} for {formatCredits(job.requiredCredits)}
        </Button>
      )}
      {job.status === 'paused' && ready + waiting > 0 && (
        <Button leftSection={<IconSend size={16} />} loading={change.isPending} onClick={() => change.mutate('start')}>
          Continue
        </Button>
      )}
      {isWorking(job) && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} />}
          loading={change.isPending}
          onClick={() => change.mutate('pause')}
        >
          Pause
        </Button>
      )}
    </Group>
  );
}

function Items({ scope, job }: { scope: Scope; job: JobDetail }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const cursor = getCursor(search);
  const query = useQuery({
    // Includes the status so that the rows are reloaded together with the counts above them.
    queryKey: ['bulk-jobs', scope.tenantId, scope.environment, job.jobId, 'items', cursor, job.status],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/bulk-jobs/{jobId}/items', {
          params: { path: { ...scope, jobId: job.jobId }, query: { cursor } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ITEMS_MS,
  });
  return (
    <DataTable
      label="documents of the job"
      columns={COLUMNS}
      query={query}
      rowKey={({ transactionId }) => transactionId}
      rowLink={({ currentTransactionId }) => ({
        to: '/o/$tenantId/$environment/transactions/$transactionId',
        params: { ...scope, transactionId: currentTransactionId },
      })}
      empty={<EmptyState title="No documents" text="This job has no documents." />}
      paging={search}
      onPaging={(paging) => void navigate({ search: paging })}
    />
  );
}

function Result({ item }: { item: Item }) {
  return (
    <Stack gap={2}>
      <span>{describeState(item)}</span>
      {item.problems.map(({ field, message, hint }) => (
        <Text key={`${field} ${message}`} size="xs" c="dimmed" maw={420} style={{ overflowWrap: 'anywhere' }}>
          {[field, toWords(message)].filter((part) => part !== null).join(': ')}
          {hint !== null && ` (${toWords(hint)})`}
        </Text>
      ))}
    </Stack>
  );
}

function formatCredits(credits: number): string {
  return credits === 1 ? '1 credit' : `${formatCount(credits)} credits`;
}

import { Badge, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { Count } from '../../parts/count';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { ErrorAlert } from '../../parts/error-alert';
import { formatEnvironment } from '../../parts/format';
import { Ago, Instant } from '../../parts/instant';
import { toList } from '../../parts/to-list';
import { Notice } from '../../parts/notice';
import { Page } from '../../parts/page';
import { formatCallName } from './call-name';
import { Blocked } from './blocked';

type Health = components['schemas']['AuthorityHealthDto'];
type Budget = Health['environments'][number]['apis'][number];
type Call = Health['recentCalls'][number];

const REFRESH_MS = 10_000;
// The dispatcher reports at least every minute, so this is two missed reports.
const INACTIVE_MS_MAX = 120_000;
const FAILURES_TO_PROBE = 5;

const STATES: Record<Call['state'], string> = {
  sending: 'Being sent',
  accepted: 'Accepted',
  settled: 'Accepted, outcome known',
  unknown: 'Response lost',
  failed: 'Not accepted',
};

const BUDGET_COLUMNS: readonly Column<Budget>[] = [
  { header: 'Call', cell: ({ api }) => formatCallName(api) },
  {
    header: 'Per minute',
    align: 'right',
    cell: ({ callsPerMinute }) => (callsPerMinute === null ? 'no limit' : <Count value={callsPerMinute} />),
  },
  { header: 'Next call', cell: ({ nextAt }) => <Instant at={nextAt} /> },
  {
    header: 'Failures in a row',
    align: 'right',
    cell: ({ failures }) => (failures >= FAILURES_TO_PROBE ? `${failures}, probing` : <Count value={failures} />),
  },
  { header: 'Stopped by', cell: (budget) => <Blocked until={budget.blockedUntil} reason={budget.blockedReason} /> },
];

const CALL_COLUMNS: readonly Column<Call>[] = [
  { header: 'Sent', cell: ({ sentAt }) => <Instant at={sentAt} /> },
  { header: 'Organisation', cell: ({ organisation }) => organisation },
  { header: 'Environment', cell: ({ environment }) => formatEnvironment(environment) },
  { header: 'Outcome', cell: ({ state }) => STATES[state] },
  { header: 'Sends', align: 'right', cell: ({ sends }) => <Count value={sends} /> },
  { header: 'Error', cell: ({ failure }) => failure ?? '–' },
];

export function AuthorityPage() {
  const query = useQuery({
    queryKey: ['operator', 'authority'],
    queryFn: () => unwrap(client.GET('/api/dashboard/operator/authority')),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title="Authority">
      {query.data === undefined ? <ErrorAlert error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending && <Skeleton h={320} />}
      {query.data !== undefined && <HealthParts query={query} health={query.data} />}
    </Page>
  );
}

function HealthParts({ query, health }: { query: UseQueryResult<Health>; health: Health }) {
  return (
    <>
      <Dispatcher health={health} />
      {health.environments.map(({ environment, tokensHeld, loginsRefused, apis }) => (
        <Stack gap="sm" key={environment}>
          <Group gap="sm">
            <Title order={2}>{formatEnvironment(environment)}</Title>
            <Badge variant="default" radius="sm" tt="none" fw={500}>
              {tokensHeld} {tokensHeld === 1 ? 'login held' : 'logins held'}
            </Badge>
            {loginsRefused > 0 && (
              <Badge variant="default" radius="sm" tt="none" fw={500}>
                {loginsRefused} refused within a minute
              </Badge>
            )}
          </Group>
          <DataTable
            label={`Calls in ${environment}`}
            columns={BUDGET_COLUMNS}
            query={toList(query, () => apis)}
            rowKey={({ api }) => api}
            empty={null}
          />
        </Stack>
      ))}
      <Stack gap="sm">
        <Title order={2}>Latest submissions</Title>
        <DataTable
          label="Latest submissions"
          columns={CALL_COLUMNS}
          query={toList(query, () => health.recentCalls)}
          rowKey={({ submissionId }) => submissionId}
          empty={<EmptyState title="No submissions yet" text="The latest calls that send documents appear here." />}
        />
      </Stack>
    </>
  );
}

function Dispatcher({ health: { now, dispatcher } }: { health: Health }) {
  const { seenAt, oldestQueuedAt } = dispatcher;
  const isSilent = seenAt === null || Date.parse(now) - Date.parse(seenAt) > INACTIVE_MS_MAX;
  return (
    <>
      {isSilent && (
        <Notice kind="bad" title="No dispatcher is running">
          Documents are not sent until a dispatcher runs. Start one with npm run start:dispatcher and check its log.
        </Notice>
      )}
      <Paper withBorder p="md">
        <Group gap="xl">
          <Fact label="Dispatcher seen">
            <Ago at={seenAt} />
          </Fact>
          <Fact label="Oldest waiting document">
            {oldestQueuedAt === null ? 'None' : <Instant at={oldestQueuedAt} />}
          </Fact>
        </Group>
      </Paper>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={500}>{children}</Text>
    </div>
  );
}

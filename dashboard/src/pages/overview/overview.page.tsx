import { List, Paper, SegmentedControl, SimpleGrid, Skeleton, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { unwrap, client } from '../../api/client';
import { hasRole } from '../../api/session';
import type { components } from '../../api/schema';
import { EmptyState } from '../../parts/empty-state';
import { ErrorAlert } from '../../parts/error-alert';
import { formatCount, formatDuration, formatEnvironment } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { ButtonLink, TextLink, TileLink } from '../../parts/links';
import { formatDay } from '../../parts/malaysian-time';
import { Causes, formatNeeds } from '../../parts/needs-action/causes';
import { Notice } from '../../parts/notice';
import { Page } from '../../parts/page';
import { Panel } from '../../parts/panel';
import { useOrganisation, useScope } from '../../shell/use-session';
import { CHART_HEIGHT, type Day, DAY_COUNTS, OUTCOMES } from './outcomes';

type Overview = components['schemas']['OverviewDto'];

const route = getRouteApi('/signed-in/o/$tenantId/$environment/overview');

// The chart library is as large as the rest of the page, so it is loaded afterwards into a placeholder of equal height.
const OutcomesChart = lazy(() => import('./charts').then(({ OutcomesChart }) => ({ default: OutcomesChart })));
const CreditsChart = lazy(() => import('./charts').then(({ CreditsChart }) => ({ default: CreditsChart })));

const REFRESH_MS = 30_000;

export function OverviewPage() {
  const { tenantId, environment } = useScope();
  const { days = '30' } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['overview', tenantId, environment, days],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/overview', {
          params: { path: { tenantId, environment }, query: { days } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title="Overview"
      actions={
        <SegmentedControl
          aria-label="Days shown"
          value={days}
          data={DAY_COUNTS.map((value) => ({ value, label: `${value} days` }))}
          onChange={(value) => void navigate({ search: { days: DAY_COUNTS.find((one) => one === value) } })}
        />
      }
    >
      <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      {query.data === undefined ? !query.isError && <Loading /> : <Figures overview={query.data} />}
    </Page>
  );
}

/** Uses one placeholder because the order of the page depends on the data. */
function Loading() {
  return (
    <section aria-label="Loading …">
      <Skeleton h="60vh" />
    </section>
  );
}

function Figures({ overview }: { overview: Overview }) {
  const { days, waiting, creditsLeft, needsAction } = overview;
  const busy = days.filter(
    ({ counts, creditsUsed }) => creditsUsed > 0 || OUTCOMES.some(({ member }) => counts[member] > 0),
  );
  return (
    <>
      <NeedsAction needsAction={needsAction} />
      <Late waiting={waiting} />
      <Tiles waiting={waiting} creditsLeft={creditsLeft} days={days} />
      {busy.length === 0 ? <Nothing days={days.length} /> : <Charts days={days} busy={busy} />}
    </>
  );
}

/** Shows the most frequent causes of failures, each with its fix and its documents. */
function NeedsAction({ needsAction }: Pick<Overview, 'needsAction'>) {
  const scope = useScope();
  if (needsAction.documents === 0) return <Notice kind="good" title="No document needs action" />;
  return (
    <Panel title={formatNeeds(needsAction)} note="Failed documents, until they are submitted again or dismissed.">
      <Causes scope={scope} causes={needsAction.causes} />
      <Text size="sm">
        <TextLink to="/o/$tenantId/$environment/needs-action" params={scope}>
          Show all that need action
        </TextLink>
      </Text>
    </Panel>
  );
}

/** Lists documents that have waited longer than usual. */
function Late({ waiting: { late, lateDocuments, usualSeconds } }: { waiting: Overview['waiting'] }) {
  const scope = useScope();
  if (late === 0) return null;
  const waits = late === 1 ? '1 document waits' : `${formatCount(late)} documents wait`;
  return (
    <Notice kind="warning" title={`${waits} longer than usual`}>
      <Text size="sm">
        An outcome usually arrives within {formatDuration(usualSeconds)}. We keep asking the authority. No document is
        lost.
      </Text>
      <List size="sm">
        {lateDocuments.map(({ transactionId, referenceId, createdAt }) => (
          <List.Item key={transactionId}>
            <TextLink to="/o/$tenantId/$environment/transactions/$transactionId" params={{ ...scope, transactionId }}>
              {referenceId}
            </TextLink>
            , since <Instant at={createdAt} />
          </List.Item>
        ))}
      </List>
      {late > lateDocuments.length && <Text size="sm">and {formatCount(late - lateDocuments.length)} more</Text>}
    </Notice>
  );
}

function Nothing({ days }: { days: number }) {
  const organisation = useOrganisation();
  const scope = useScope();
  return (
    <Paper withBorder>
      <EmptyState
        title={`No documents in the last ${days} days`}
        text="Documents from your systems and documents sent by hand appear here by day and outcome."
        action={
          hasRole(organisation, 'member') && (
            <ButtonLink to="/o/$tenantId/$environment/send" params={scope} variant="default">
              Send an invoice
            </ButtonLink>
          )
        }
      />
    </Paper>
  );
}

function Charts({ days, busy }: { days: readonly Day[]; busy: readonly Day[] }) {
  return (
    <>
      <Panel title="Documents by day and outcome" note="By day of acceptance, with their current status.">
        <Suspense fallback={<Skeleton h={CHART_HEIGHT} />}>
          <OutcomesChart days={days} />
        </Suspense>
        <DaysTable busy={busy} />
      </Panel>
      <Panel title="Credits used by day" note="Each document and each cancellation costs one credit.">
        <Suspense fallback={<Skeleton h={CHART_HEIGHT} />}>
          <CreditsChart days={days} />
        </Suspense>
      </Panel>
    </>
  );
}

function Tiles({ waiting, creditsLeft, days }: Pick<Overview, 'waiting' | 'creditsLeft' | 'days'>) {
  const scope = useScope();
  const { queued, processing, atAuthority, oldest } = waiting;
  const valid = days.reduce((sum, { counts }) => sum + counts.valid, 0);
  const failed = days.reduce((sum, { counts }) => sum + counts.invalid + counts.submitFailed, 0);
  const list = { to: '/o/$tenantId/$environment/transactions', params: scope } as const;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <TileLink {...list} search={{ status: 'Valid', from: days[0].day }}>
        <Figure
          label="Valid"
          value={formatCount(valid)}
          note={`${formatCount(failed)} failed in ${days.length} days`}
        />
      </TileLink>
      <TileLink {...list} search={{ status: 'Waiting' }}>
        <Figure
          label="Waiting"
          value={formatCount(queued + processing + atAuthority)}
          note={describeWaiting(waiting)}
        />
      </TileLink>
      {oldest === null ? (
        <Paper withBorder p="sm" mih={96}>
          <Figure label="Oldest waiting" value="None" note="every document has an outcome" />
        </Paper>
      ) : (
        <TileLink
          to="/o/$tenantId/$environment/transactions/$transactionId"
          params={{ ...scope, transactionId: oldest.transactionId }}
        >
          <Figure
            label="Oldest waiting"
            value={formatDuration(oldest.waitingSeconds)}
            note={
              <>
                {oldest.referenceId}, since <Instant at={oldest.createdAt} />
              </>
            }
          />
        </TileLink>
      )}
      <TileLink to="/o/$tenantId/credits" params={scope}>
        <Figure
          label="Credits left"
          value={formatCount(creditsLeft)}
          note={`for ${formatEnvironment(scope.environment).toLowerCase()}`}
        />
      </TileLink>
    </SimpleGrid>
  );
}

function describeWaiting({ queued, processing, atAuthority, held, inDoubt }: Overview['waiting']): string {
  if (queued + processing + atAuthority === 0) return 'no documents are waiting';
  const notes = [
    atAuthority > 0 ? `${formatCount(atAuthority)} at the authority` : null,
    held > 0 ? `${formatCount(held)} held for their parent invoice` : null,
    inDoubt > 0 ? `${formatCount(inDoubt)} in doubt, being looked up` : null,
  ].filter((note) => note !== null);
  return notes.length > 0 ? notes.join(', ') : 'queued or being sent';
}

function Figure({ label, value, note }: { label: string; value: string; note: ReactNode }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz="1.5rem" fw={600} lh={1.3} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        {note}
      </Text>
    </>
  );
}

/** Shows the data of the charts, without days that had no activity. */
function DaysTable({ busy }: { busy: readonly Day[] }) {
  return (
    <details>
      <Text component="summary" size="sm">
        Show as a table
      </Text>
      <Table.ScrollContainer minWidth={640} tabIndex={0} aria-label="Documents and credits by day">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day</Table.Th>
              {OUTCOMES.map(({ member, label }) => (
                <Table.Th key={member} ta="right">
                  {label}
                </Table.Th>
              ))}
              <Table.Th ta="right">Credits used</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {busy.toReversed().map(({ day, counts, creditsUsed }) => (
              <Table.Tr key={day}>
                <Table.Td>{formatDay(day)}</Table.Td>
                {OUTCOMES.map(({ member }) => (
                  <Table.Td key={member} ta="right">
                    {formatCount(counts[member])}
                  </Table.Td>
                ))}
                <Table.Td ta="right">{formatCount(creditsUsed)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}

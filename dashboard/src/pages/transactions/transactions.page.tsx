import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unwrap, client } from '../../api/client';
import { hasRole, type Scope } from '../../api/session';
import { withoutEmpty } from '../../parts/address-query';
import { formatActor } from '../../parts/actor';
import { type Column, DataTable } from '../../parts/data-table';
import { EmptyState } from '../../parts/empty-state';
import { formatAmount, formatDocumentType } from '../../parts/format';
import { Instant } from '../../parts/instant';
import { RefreshButton } from '../../parts/list-actions';
import { ButtonLink } from '../../parts/links';
import { chooseRefreshMs } from '../../parts/live';
import { formatDay } from '../../parts/malaysian-time';
import { Page } from '../../parts/page';
import { getCursor, readFirstWithRows } from '../../parts/paging';
import { StatusBadge } from '../../parts/status-badge';
import { useAddressSearch } from '../../parts/use-address-search';
import { useOrganisation, useScope } from '../../shell/use-session';
import { Filters, isOnlyOfSearch } from './filters';
import { ListMenu } from './list-menu';
import { findSort, type ListFilters, readListSearch, sortBy, toFilters } from './list-search';
import { type Row, useSelection } from './selection';
import { SelectionBar } from './selection-bar';
import { StatusCounts } from './status-counts';

const route = getRouteApi('/signed-in/o/$tenantId/$environment/transactions');

const COLUMNS: readonly Column<Row>[] = [
  {
    header: 'Document',
    cell: ({ referenceId }) => (
      <Text inherit miw={110} style={{ overflowWrap: 'anywhere' }}>
        {referenceId}
      </Text>
    ),
  },
  { header: 'Status', cell: (row) => <Status {...row} /> },
  {
    header: 'Payable',
    isAside: true,
    cell: ({ totalPayableAmount }) => <OneLine>{formatAmount(totalPayableAmount)}</OneLine>,
    align: 'right',
    sortName: 'amount',
  },
  { header: 'Buyer', cell: ({ buyerName, buyerTin }) => <Buyer name={buyerName} tin={buyerTin} /> },
  { header: 'Date', cell: ({ documentDate }) => <OneLine>{formatDay(documentDate)}</OneLine>, sortName: 'date' },
  { header: 'Type', cell: ({ documentType }) => <OneLine>{formatDocumentType(documentType)}</OneLine> },
  { header: 'Accepted', cell: (row) => <Accepted {...row} /> },
];

export function TransactionsPage() {
  const scope = useScope();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filters = toFilters(search);
  const asked = toFilters(readListSearch(useAddressSearch()));
  const isFiltered = Object.keys(filters).length > 0;
  const query = useList(scope, filters, getCursor(search));
  const rows = query.data?.items ?? [];
  const selection = useSelection(scope, filters, query);
  const isOld = query.isPlaceholderData;
  // Reads the latest URL because two changes may occur before the page renders again.
  const change = (changed: ListFilters) =>
    void navigate({ search: (latest) => withoutEmpty({ ...toFilters(latest), ...changed }) });
  return (
    <Page
      title="Documents"
      actions={
        <>
          <ListMenu scope={scope} filters={filters} />
          <RefreshButton onRefresh={() => query.refetch()} />
        </>
      }
    >
      <DataTable
        label="documents"
        columns={COLUMNS}
        query={query}
        rowKey={({ transactionId }) => transactionId}
        rowLink={({ transactionId }) => ({
          to: '/o/$tenantId/$environment/transactions/$transactionId',
          params: { ...scope, transactionId },
        })}
        filters={
          <>
            <Filters scope={scope} filters={asked} error={query.error} onChange={change} />
            <Group gap="xs" w="100%">
              <StatusCounts scope={scope} filters={filters} onChange={change} />
              {isFiltered && <ClearButton onClick={() => void navigate({ search: {} })} />}
              <Text component="output" size="sm">
                {selection.outcome}
              </Text>
            </Group>
          </>
        }
        selection={{
          isSelected: ({ transactionId }) => selection.isAll || selection.rows.has(transactionId),
          name: nameAttempt,
          onChange: (row, isSelected) => selection.setRow(row, isSelected, rows),
          isDisabled: isOld,
          bar: <SelectionBar {...{ scope, filters, selection, rows }} isDisabled={isOld} />,
        }}
        sort={findSort(filters)}
        onSort={(sort) => change(sortBy(sort))}
        isExplained={isOnlyOfSearch(query.error)}
        empty={<NoDocuments scope={scope} isFiltered={isFiltered} q={filters.q} />}
        paging={search}
        onPaging={(paging) => void navigate({ search: { ...filters, ...paging } })}
      />
      <LineNote attempts={filters.attempts} />
    </Page>
  );
}

function useList({ tenantId, environment }: Scope, filters: ListFilters, cursor: string | undefined) {
  return useQuery({
    queryKey: ['transactions', tenantId, environment, 'list', filters, cursor],
    queryFn: ({ client: queries, queryKey }) => {
      // Reloads the counts together with the rows so that both agree.
      if (queries.getQueryData(queryKey) !== undefined) {
        const counts = { queryKey: ['transactions', tenantId, environment, 'counts'] };
        void queries.invalidateQueries(counts, { cancelRefetch: false });
      }
      return readFirstWithRows(
        (at) =>
          unwrap(
            client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transactions', {
              params: { path: { tenantId, environment }, query: { ...filters, cursor: at } },
            }),
          ),
        cursor,
      );
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => chooseRefreshMs(state.data?.items),
  });
}

/** Returns a name such as `INV-1` or `credit note CN-1, attempt 2`. Numbers are unique per document type. */
function nameAttempt({ documentType, referenceId, attempt }: Row): string {
  const type = documentType === 'invoice' ? '' : `${formatDocumentType(documentType).toLowerCase()} `;
  return `${type}${referenceId}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
}

function LineNote({ attempts }: Pick<ListFilters, 'attempts'>) {
  return (
    <Text size="xs" c="dimmed">
      {attempts === 'all' ? 'One row per attempt.' : 'One row per document, with its last attempt.'}
    </Text>
  );
}

// RM-5 and 100-200 are searched as document numbers.
const FIGURES = /^(?:RM|MYR)?[-\d.,\s]*\d[-\d.,\s]*$/i;
const AMOUNT_FORM = ' Write an amount as RM 1,234.56, and a range as RM 100 - 200.';

function ClearButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="default" size="compact-sm" onClick={onClick}>
      Clear filters
    </Button>
  );
}

function NoDocuments({ scope, isFiltered, q = '' }: { scope: Scope; isFiltered: boolean; q?: string }) {
  const maySend = hasRole(useOrganisation(), 'member');
  return isFiltered ? (
    <EmptyState
      title="No document matches these filters"
      text={`Remove a filter, or search for a shorter text: the start of a number, or one word of the buyer’s name.${FIGURES.test(q) ? AMOUNT_FORM : ''}`}
    />
  ) : (
    <EmptyState
      title="No documents yet"
      text="Documents appear here as soon as they are accepted."
      action={
        maySend && (
          <ButtonLink to="/o/$tenantId/$environment/send" params={scope} variant="default">
            Send an invoice
          </ButtonLink>
        )
      }
    />
  );
}

function OneLine({ children }: { children: string }) {
  return (
    <Text span size="sm" style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {children}
    </Text>
  );
}

function Buyer({ name, tin }: { name: string | null; tin: string }) {
  return (
    <Stack gap={0}>
      <Text size="sm" truncate maw={170}>
        {name ?? 'General public'}
      </Text>
      <Text size="xs" c="dimmed">
        {tin}
      </Text>
    </Stack>
  );
}

function Accepted({ createdAt, submittedBy }: Row) {
  return (
    <Stack gap={0}>
      <Instant at={createdAt} />
      {submittedBy !== null && (
        <Text size="xs" c="dimmed" truncate maw={140}>
          by {formatActor(submittedBy)}
        </Text>
      )}
    </Stack>
  );
}

function Status({ status, attempt, isSuperseded, firstError, errorCount }: Row) {
  const notes = [
    attempt > 1 || isSuperseded ? `attempt ${attempt}${isSuperseded ? ', sent again since' : ''}` : null,
    firstError === null ? null : `${firstError}${errorCount > 1 ? ` (and ${errorCount - 1} more)` : ''}`,
  ].filter((note) => note !== null);
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge status={status} />
      {notes.map((note) => (
        <Text key={note} size="xs" c="dimmed" miw={140} maw={320} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      ))}
    </Stack>
  );
}

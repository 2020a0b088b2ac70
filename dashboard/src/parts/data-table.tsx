/* oxlint-disable jsx-a11y/prefer-tag-over-role -- browsers drop the table semantics of elements that cards display as blocks */
import { Box, Button, Group, Paper, Skeleton, Stack, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { asFailure } from '../api/errors';
import classes from './data-table.module.css';
import { ErrorAlert } from './error-alert';
import { TextLink } from './links';
import { Notice } from './notice';
import { Pager } from './pager';
import type { Paging } from './paging';
import { NARROW, useNarrow } from './use-narrow';
import { type RowSelection, SelectBox } from './row-selection';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right';
  /** Shown at the right of the first column on a card. */
  isAside?: boolean;
  /** Name of the column in the sort order. A leading minus sorts in descending order. */
  sortName?: string;
}

interface Sorting {
  sort?: string;
  onSort?: (sort: string) => void;
}

interface DataTableProps<Row> extends Sorting {
  label: string;
  columns: readonly Column<Row>[];
  /** Use `placeholderData: keepPreviousData` to keep the old rows until the new ones are loaded. */
  query: UseQueryResult<{ items: Row[]; next: string | null }>;
  rowKey: (row: Row) => string;
  /** Target of a row. The first cell is the link, and a click anywhere in the row follows it. */
  rowLink?: (row: Row) => LinkProps;
  /** Inputs above the table. A changed filter must remove `pages` from the URL to return to the first page. */
  filters?: ReactNode;
  /** Whether the filters already display the error. */
  isExplained?: boolean;
  /** Shown instead of an empty table. */
  empty: ReactNode;
  selection?: RowSelection<Row>;
  /** Cursors in the URL. Omitted for a list of one page. */
  paging?: Paging;
  onPaging?: (paging: Paging) => void;
}

const SKELETON_ROWS = 8;
/** Minimum number of columns for which the table needs a large window. */
const WIDE_COLUMNS = 5;
/** Media queries for showing rows as cards. */
const CARDS = { narrow: NARROW, wide: '(max-width: 75em)' };

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { query, filters, empty, paging = {} } = props;
  const { isWithoutRows, isOpenEnded } = readEnd(query);
  const isEmpty = isWithoutRows && paging.pages === undefined && !isOpenEnded;
  return (
    <Stack gap="sm">
      {filters !== undefined && (
        <Group gap="sm" align="flex-end">
          {filters}
        </Group>
      )}
      <Trouble {...props} />
      {isOpenEnded && <NothingYet />}
      {isEmpty ? <Paper withBorder>{empty}</Paper> : <Listed {...props} />}
    </Stack>
  );
}

function Listed<Row>(props: DataTableProps<Row>) {
  const { query, selection } = props;
  return (
    <>
      {!query.isLoadingError && (
        <>
          {selection !== undefined && <div className={classes.bar}>{selection.bar}</div>}
          <Rows {...props} />
        </>
      )}
      <Pager {...props} />
    </>
  );
}

function Trouble<Row>(props: DataTableProps<Row>) {
  const { query, isExplained = false, onPaging } = props;
  const isStale = query.isError ? isStaleCursor(query.error) : isBeyondTheEnd(props);
  if (isStale) return <StalePage onFirst={() => onPaging?.({})} />;
  return query.isError && !isExplained ? <ErrorAlert error={query.error} onRetry={() => void query.refetch()} /> : null;
}

/** The list is intact, but the cursor is outdated or its rows are gone. */
function StalePage({ onFirst }: { onFirst: () => void }) {
  return (
    <Notice kind="warning" title="This page of the list no longer exists">
      <Text size="sm" mb="xs">
        The list has changed since this address was made.
      </Text>
      <Button size="xs" variant="default" onClick={onFirst}>
        Go to the first page
      </Button>
    </Notice>
  );
}

function readEnd({ isSuccess, data }: DataTableProps<unknown>['query']) {
  const isWithoutRows = isSuccess && data.items.length === 0;
  return { isWithoutRows, isOpenEnded: isWithoutRows && data.next !== null };
}

function NothingYet() {
  return (
    <Notice kind="info" title="Nothing found so far">
      <Text size="sm">Many rows were searched. “Next” searches more.</Text>
    </Notice>
  );
}

function isStaleCursor(error: unknown): boolean {
  return asFailure(error).problems.some(({ pointer }) => pointer === '/cursor');
}

function isBeyondTheEnd<Row>({ query, paging }: DataTableProps<Row>): boolean {
  const { isWithoutRows, isOpenEnded } = readEnd(query);
  return isWithoutRows && !isOpenEnded && paging?.pages !== undefined;
}

function Rows<Row>(props: DataTableProps<Row>) {
  const { label, columns, query, rowKey, rowLink, sort, onSort, selection } = props;
  const width = columns.length < WIDE_COLUMNS ? 'narrow' : 'wide';
  const hasCards = useMediaQuery(CARDS[width], false, { getInitialValueInEffect: false });
  return (
    <Paper withBorder component="section" className={classes.frame} aria-label={label} tabIndex={0}>
      <VisuallyHidden component="output">{query.isPending ? 'Loading …' : ''}</VisuallyHidden>
      <Table
        stickyHeader
        highlightOnHover={rowLink !== undefined}
        aria-busy={query.isFetching}
        className={classes.table}
        mod={{ stale: query.isPlaceholderData, cards: hasCards }}
        role="table"
      >
        <Table.Thead className={classes.head} role="rowgroup">
          {/* The headers of cards are visible only to screen readers. */}
          <HeaderRow
            columns={columns}
            sort={sort}
            onSort={hasCards ? undefined : onSort}
            isSelectable={selection !== undefined}
          />
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {query.data === undefined
            ? Array.from({ length: SKELETON_ROWS }, (_, row) => (
                <SkeletonRow key={row} columns={columns} isSelectable={selection !== undefined} />
              ))
            : query.data.items.map((row) => (
                <Table.Tr
                  key={rowKey(row)}
                  className={classes.row}
                  mod={{ linked: rowLink !== undefined }}
                  role="row"
                  onClick={rowLink === undefined ? undefined : followLink}
                >
                  {selection !== undefined && (
                    <Cell header={SELECT}>
                      <SelectBox row={row} selection={selection} />
                    </Cell>
                  )}
                  {columns.map(({ header, align, isAside, cell }, position) => (
                    <Cell key={header} header={header} align={align} card={placeOnCard(position, isAside)}>
                      {position === 0 && rowLink !== undefined ? (
                        <TextLink {...rowLink(row)} underline="hover">
                          {cell(row)}
                        </TextLink>
                      ) : (
                        cell(row)
                      )}
                    </Cell>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

interface CardTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Rows are identified by their position. */
  rows: readonly Row[];
}

/** Table of loaded rows. A narrow window shows cards. */
export function CardTable<Row>({ label, columns, rows }: CardTableProps<Row>) {
  const hasCards = useNarrow();
  return (
    <Box component="section" className={classes.frame} aria-label={label} tabIndex={0}>
      <Table className={classes.table} mod={{ cards: hasCards }} role="table">
        <Table.Thead className={classes.head} role="rowgroup">
          <HeaderRow columns={columns} />
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <Table.Tr key={index} className={classes.row} role="row">
              {columns.map(({ header, align, isAside, cell }, position) => (
                <Cell key={header} header={header} align={align} card={placeOnCard(position, isAside)}>
                  {cell(row)}
                </Cell>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

interface HeaderRowProps<Row> extends Sorting {
  columns: readonly Column<Row>[];
  isSelectable?: boolean;
}

const SELECT = 'Select';

function HeaderRow<Row>({ columns, sort, onSort, isSelectable = false }: HeaderRowProps<Row>) {
  return (
    <Table.Tr role="row">
      {isSelectable && (
        <Table.Th role="columnheader">
          <VisuallyHidden>{SELECT}</VisuallyHidden>
        </Table.Th>
      )}
      {columns.map(({ header, align, sortName }) => (
        <Table.Th
          key={header}
          ta={align}
          mod={{ figures: align === 'right' }}
          role="columnheader"
          aria-sort={sortName === undefined ? undefined : readDirection(sort, sortName)}
        >
          {sortName === undefined || onSort === undefined ? (
            header
          ) : (
            <SortButton header={header} sort={sort} sortName={sortName} onSort={onSort} />
          )}
        </Table.Th>
      ))}
    </Table.Tr>
  );
}

type Direction = 'ascending' | 'descending' | 'none';

const DIRECTION_ICONS = { ascending: IconArrowUp, descending: IconArrowDown, none: IconSelector };

function readDirection(sort: string | undefined, sortName: string): Direction {
  if (sort === `-${sortName}`) return 'descending';
  return sort === sortName ? 'ascending' : 'none';
}

interface SortButtonProps {
  header: string;
  sort: string | undefined;
  sortName: string;
  onSort: (sort: string) => void;
}

function SortButton({ header, sort, sortName, onSort }: SortButtonProps) {
  const direction = readDirection(sort, sortName);
  const Icon = DIRECTION_ICONS[direction];
  return (
    <UnstyledButton
      fz="inherit"
      fw="inherit"
      ta="inherit"
      onClick={() => onSort(direction === 'descending' ? sortName : `-${sortName}`)}
    >
      {header} <Icon size={14} aria-hidden className={classes.direction} />
    </UnstyledButton>
  );
}

/** Forwards a click to the link of the row, including modifier keys. Ignores a click that ends a text selection. */
function followLink({ target, currentTarget, nativeEvent }: MouseEvent<HTMLElement>): void {
  const isForAnother = target instanceof Element && target.closest('a, button, input, label') !== null;
  if (isForAnother || getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector('a')?.dispatchEvent(new window.MouseEvent('click', nativeEvent));
}

interface CellProps extends Pick<Column<never>, 'header' | 'align'> {
  card?: 'title' | 'aside';
  children: ReactNode;
}

function placeOnCard(position: number, isAside = false): CellProps['card'] {
  return position === 0 ? 'title' : isAside ? 'aside' : undefined;
}

/** On a card, the header precedes the value. */
function Cell({ header, align, card, children }: CellProps) {
  return (
    <Table.Td className={classes.cell} ta={align} data-label={header} mod={{ card }} role="cell">
      <div>{children}</div>
    </Table.Td>
  );
}

interface SkeletonRowProps<Row> {
  columns: readonly Column<Row>[];
  isSelectable: boolean;
}

function SkeletonRow<Row>({ columns, isSelectable }: SkeletonRowProps<Row>) {
  return (
    <Table.Tr className={classes.row} role="row">
      {isSelectable && (
        <Cell header={SELECT}>
          <Skeleton h={20} w={20} />
        </Cell>
      )}
      {columns.map(({ header }) => (
        <Cell key={header} header={header}>
          <Skeleton h={16} />
        </Cell>
      ))}
    </Table.Tr>
  );
}

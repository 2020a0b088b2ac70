import { Button, Checkbox, Group, Menu, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasRole } from '../../api/session';
import { toQuery, withoutEmpty } from '../../parts/address-query';
import { BulkDialog } from '../../parts/bulk/bulk-dialog';
import type { Scope } from '../../api/session';
import { DismissDialog, readLatestIds } from '../../parts/needs-action/dismiss';
import { useOrganisation } from '../../shell/use-session';
import { countsQuery, formatTotal, hasSome, sumCounts, type Total } from './counts';
import type { ListFilters } from './list-search';
import { type Row, SELECTED_MAX, type Selection } from './selection';
import { FILES, PRINTED } from './files';

interface SelectionBarProps {
  scope: Scope;
  filters: ListFilters;
  selection: Selection;
  rows: readonly Row[];
  /** Whether the rows belong to different filters. */
  isDisabled: boolean;
}

/** Selects the rows of the page or the whole list, and offers actions for the selected documents. */
export function SelectionBar({ scope, filters, selection, rows, isDisabled }: SelectionBarProps) {
  const [chosen, setChosen] = useState<ChosenAction | null>(null);
  const { isAll } = selection;
  const onPage = rows.filter(({ transactionId }) => selection.rows.has(transactionId)).length;
  const isPageSelected = rows.length > 0 && (isAll || onPage === rows.length);
  const total = sumCounts(useListCounts(scope, filters), filters.status);
  return (
    <Group gap="sm" mih={{ base: 72, xs: 30 }}>
      <Checkbox
        label="All on this page"
        checked={isPageSelected}
        indeterminate={!isPageSelected && onPage > 0}
        disabled={isDisabled}
        onChange={() => (isAll ? selection.clear() : selection.setRows(rows, !isPageSelected))}
      />
      <Text component="output" size="sm">
        {describeSelection(selection, total)}
      </Text>
      {isPageSelected && !isDisabled && <SelectAll selection={selection} total={total} />}
      {(isAll || selection.rows.size > 0) && (
        <>
          <WithSelected {...{ scope, filters, selection, isDisabled }} onChoose={setChosen} />
          <Button variant="subtle" size="compact-sm" onClick={() => selection.clear()}>
            Clear
          </Button>
        </>
      )}
      {chosen !== null && (
        <ActionDialog scope={scope} chosen={chosen} onClose={() => setChosen(null)} onDone={selection.clear} />
      )}
    </Group>
  );
}

/** Returns undefined while the counts belong to different filters. */
function useListCounts(scope: Scope, filters: ListFilters, enabled = true) {
  const { data, isPlaceholderData } = useQuery({ ...countsQuery(scope, filters), enabled });
  return isPlaceholderData ? undefined : data?.counts;
}

/** Extends the selection from the page to the whole list. */
function SelectAll({ selection: { rows, isAll, setAll }, total }: { selection: Selection; total: Total | null }) {
  if (isAll || total === null || (!total.hasMore && total.documents <= rows.size)) return null;
  return (
    <Button variant="subtle" size="compact-sm" onClick={setAll}>
      Select all{total.documents > 0 && ` ${formatTotal(total)}`} of this list
    </Button>
  );
}

function describeSelection({ rows, gone, isAll }: Selection, total: Total | null): string {
  if (isAll) {
    return total === null || total.documents === 0
      ? 'The whole list is selected'
      : `All ${formatTotal(total)} of this list selected`;
  }
  const parts = [
    rows.size === 0 ? null : `${rows.size} selected`,
    rows.size === SELECTED_MAX ? 'the maximum' : null,
    gone === 0 ? null : `${gone} no longer in this list`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

type Status = Row['status'];

function countRows({ rows }: Selection, isWanted: (status: Status) => boolean): Total {
  return { documents: [...rows.values()].filter(({ status }) => isWanted(status)).length, hasMore: false };
}

interface Action {
  name: 'Correct' | 'Dismiss' | 'Cancel';
  /** Statuses of the documents that the action applies to. */
  kind: 'failed' | 'valid';
}

const KINDS: Readonly<Record<Action['kind'], readonly string[]>> = {
  failed: ['Invalid', 'SubmitFailed'],
  valid: ['Valid'],
};

const ACTIONS: readonly Action[] = [
  { name: 'Correct', kind: 'failed' },
  { name: 'Dismiss', kind: 'failed' },
  { name: 'Cancel', kind: 'valid' },
];

/** Action with the documents selected at the time. Later changes to the list do not affect it. */
interface ChosenAction {
  action: Action;
  total: Total;
  filters: ListFilters;
  /** Selected transactions; undefined for the whole list. */
  documents: readonly string[] | undefined;
}

/**
 * Restricts the filters to the documents that an action applies to: current attempts and, for failed documents, those
 * that need action.
 */
function narrow(filters: ListFilters, { kind }: Action): ListFilters {
  const action = kind === 'failed' ? (filters.action ?? 'needed') : filters.action;
  return withoutEmpty({ ...filters, attempts: undefined, action });
}

interface WithSelectedProps extends Omit<SelectionBarProps, 'rows'> {
  onChoose: (chosen: ChosenAction) => void;
}

/** Offers each action with the number of selected documents that it applies to. */
function WithSelected({ scope, filters, selection, isDisabled, onChoose }: WithSelectedProps) {
  const mayChange = hasRole(useOrganisation(), 'member');
  const { isAll, rows } = selection;
  const actions = useActions({ scope, filters, selection });
  const counts = useListCounts(scope, filters);
  const isPrinted = (status: string) => PRINTED.includes(status);
  const printed = isAll ? sumCounts(counts, filters.status, isPrinted) : countRows(selection, isPrinted);
  const base = `/api/dashboard/organisations/${scope.tenantId}/${scope.environment}`;
  // Downloads contain all selected documents, including those that have left the list.
  const query = toQuery(isAll ? filters : { transactionIds: [...rows.keys()].join(','), attempts: 'all' });
  return (
    <Menu position="bottom-start" withinPortal={false} withInitialFocusPlaceholder={false} disabled={isDisabled}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          disabled={isDisabled}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          With selected
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {mayChange &&
          actions.map((chosen) => (
            <Menu.Item key={chosen.action.name} onClick={() => onChoose(chosen)}>
              {describeAction(chosen)}
            </Menu.Item>
          ))}
        <Menu.Label>{isAll ? 'Download as ZIP, at most 5,000 documents' : 'Download as ZIP'}</Menu.Label>
        {FILES.filter(({ name }) => name !== 'transactions-pdf.zip' || printed === null || hasSome(printed)).map(
          ({ name, label }) => (
            <Menu.Item key={name} component="a" href={`${base}/${name}${query}`}>
              {label}
            </Menu.Item>
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function useActions({ scope, filters, selection }: Pick<SelectionBarProps, 'scope' | 'filters' | 'selection'>) {
  const { isAll, rows } = selection;
  const [failed, , valid] = ACTIONS.map((action) => narrow(filters, action));
  const counts = {
    failed: useListCounts(scope, failed, isAll),
    valid: useListCounts(scope, valid, isAll),
  };
  return ACTIONS.flatMap((action): ChosenAction[] => {
    if (action.name === 'Dismiss' && filters.action === 'dismissed') return [];
    const isWanted = (status: string) => KINDS[action.kind].includes(status);
    // Only the current attempt of a document can be changed.
    const ticked = [...rows.values()].filter(({ status, isSuperseded }) => isWanted(status) && !isSuperseded);
    const total = isAll
      ? sumCounts(counts[action.kind], filters.status, isWanted)
      : { documents: ticked.length, hasMore: false };
    if (total === null || !hasSome(total)) return [];
    const documents = isAll ? undefined : ticked.map(({ transactionId }) => transactionId);
    return [{ action, total, filters: narrow(filters, action), documents }];
  });
}

function describeAction({ action: { name, kind }, total }: ChosenAction): string {
  const number = total.documents === 0 ? '' : `${formatTotal(total)} `;
  return `${name} ${number}${kind} ${total.documents === 1 ? 'document' : 'documents'}`;
}

interface ActionDialogProps {
  scope: Scope;
  chosen: ChosenAction;
  onClose: () => void;
  onDone: (outcome: string) => void;
}

function ActionDialog({ scope, chosen, onClose, onDone }: ActionDialogProps) {
  const { action, total, filters, documents } = chosen;
  const title = describeAction(chosen);
  if (action.name === 'Dismiss') {
    const readIds = () => (documents === undefined ? readLatestIds(scope, filters) : Promise.resolve(documents));
    const { documents: count, hasMore } = total;
    return <DismissDialog {...{ scope, title, readIds, count, hasMore, onClose, onDone }} />;
  }
  const kind = action.name === 'Correct' ? 'correct' : 'cancel';
  return <BulkDialog {...{ scope, kind, filters, title, documents, onClose }} />;
}

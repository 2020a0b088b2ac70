import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import { withoutEmpty } from '../../parts/address-query';
import type { Scope } from '../../parts/needs-action/causes';
import { readRows } from '../../parts/paging';
import type { ListFilters } from './list-search';
import { keepTicked, type Ticked } from './ticked';

export type Row = components['schemas']['TransactionRowDto'];

/** What a selection holds at most: as many ids as a request takes. */
export const SELECTED_MAX = 100;

/** Which documents of the list are selected: those that were ticked, or all that its filters find. */
export interface Selection extends Ticked<Row> {
  isAll: boolean;
  /** What came of what was done last with a selection. */
  outcome: string;
  /** One row of a page; of the whole list without it, the others of the page stay selected. */
  setRow: (row: Row, isSelected: boolean, page: readonly Row[]) => void;
  setRows: (rows: readonly Row[], isSelected: boolean) => void;
  setAll: () => void;
  /** Selects nothing any more. */
  clear: (outcome?: string) => void;
}

const NOTHING = { rows: new Map<string, Row>(), gone: 0, isAll: false, outcome: '' };

/**
 * The selection of a list. It lasts while the filters stay: over its pages, another order and each refresh, which makes
 * of its rows what they are now. Other filters begin without one, so that nothing is changed that cannot be seen any more.
 */
export function useSelection(
  scope: Scope,
  filters: ListFilters,
  { data, isPlaceholderData, dataUpdatedAt }: UseQueryResult<{ items: Row[] }>,
): Selection {
  const list = JSON.stringify(withoutEmpty({ ...filters, sort: undefined }));
  const [kept, setKept] = useState({ ...NOTHING, list });
  const selected = kept.list === list ? kept : { ...NOTHING, list };
  const page = isPlaceholderData ? undefined : data?.items;
  const away = findAway(selected.rows, page);
  const found = useQuery({
    queryKey: ['transactions', scope.tenantId, scope.environment, 'ticked', filters, away, dataUpdatedAt],
    queryFn: () => readAway(scope, filters, away),
    enabled: away.length > 0,
    gcTime: 0,
  });
  const current = keepTicked(keepTicked(selected, page), found.data, away);
  if (current !== kept) setKept(current);
  const { rows, gone, isAll, outcome } = current;
  const setRows: Selection['setRows'] = (changed, isSelected) => {
    const next = new Map(rows);
    for (const row of changed) {
      if (!isSelected) next.delete(row.transactionId);
      else if (next.size < SELECTED_MAX) next.set(row.transactionId, row);
    }
    setKept({ ...NOTHING, list, rows: next });
  };
  return {
    rows,
    gone,
    isAll,
    outcome,
    setRow: (row, isSelected, shown) =>
      isAll
        ? setRows(
            shown.filter(({ transactionId }) => transactionId !== row.transactionId),
            true,
          )
        : setRows([row], isSelected),
    setRows,
    setAll: () => setKept({ ...NOTHING, list, isAll: true }),
    clear: (said = '') => setKept({ ...NOTHING, list, outcome: said }),
  };
}

/** The ticked rows that the open page does not show: they are on another one, or no longer in the list. */
function findAway(rows: ReadonlyMap<string, Row>, page: readonly Row[] | undefined): string[] {
  if (page === undefined) return [];
  const shown = new Set(page.map(({ transactionId }) => transactionId));
  return [...rows.keys()].filter((id) => !shown.has(id));
}

function readAway({ tenantId, environment }: Scope, filters: ListFilters, ids: readonly string[]): Promise<Row[]> {
  const query = { ...filters, transactionIds: ids.join(','), limit: SELECTED_MAX };
  return readRows(
    (cursor) =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transactions', {
          params: { path: { tenantId, environment }, query: { ...query, cursor } },
        }),
      ),
    SELECTED_MAX,
  );
}

import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import { withoutEmpty } from '../../parts/address-query';
import type { Scope } from '../../api/session';
import { readRows } from '../../parts/paging';
import type { ListFilters } from './list-search';
import { keepTicked, type Ticked } from './ticked';

export type Row = components['schemas']['TransactionRowDto'];

/** Maximum number of selected rows, limited by the ids of a request. */
export const SELECTED_MAX = 100;

export interface Selection extends Ticked<Row> {
  isAll: boolean;
  /** Result of the last action on a selection. */
  outcome: string;
  /** Changes one row. Deselecting a row of a fully selected list selects the remaining rows of the page. */
  setRow: (row: Row, isSelected: boolean, page: readonly Row[]) => void;
  setRows: (rows: readonly Row[], isSelected: boolean) => void;
  setAll: () => void;
  /** Clears the selection. */
  clear: (outcome?: string) => void;
}

const NOTHING = { rows: new Map<string, Row>(), gone: 0, isAll: false, outcome: '' };

/**
 * Selection of a list. Paging, sorting and refreshing keep it and update its rows. Other filters clear it, so that no
 * invisible document is changed.
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

/** Returns the selected rows that are not on the open page. */
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

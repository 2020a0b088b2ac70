import type { UseQueryResult } from '@tanstack/react-query';

/** Converts part of a query result to the list that a DataTable shows, with the loading and error states of the query. */
export function toList<CallResult, Row>(
  query: UseQueryResult<CallResult>,
  selectRows: (result: CallResult) => Row[],
): UseQueryResult<{ items: Row[]; next: string | null }> {
  const data = query.data === undefined ? undefined : { items: selectRows(query.data), next: null };
  return { ...query, data } as UseQueryResult<{ items: Row[]; next: string | null }>;
}

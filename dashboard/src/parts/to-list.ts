import type { UseQueryResult } from '@tanstack/react-query';

/** Converts part of a query result to a list for DataTable. Loading and error states are kept. */
export function toList<CallResult, Row>(
  query: UseQueryResult<CallResult>,
  selectRows: (result: CallResult) => Row[],
): UseQueryResult<{ items: Row[]; next: string | null }> {
  const data = query.data === undefined ? undefined : { items: selectRows(query.data), next: null };
  return { ...query, data } as UseQueryResult<{ items: Row[]; next: string | null }>;
}

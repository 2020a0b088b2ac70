import type { UseQueryResult } from '@tanstack/react-query';

/** A part of an answer as the list of one page that a DataTable shows, with the states of the query that it came by. */
export function toList<Answer, Row>(
  query: UseQueryResult<Answer>,
  selectRows: (answer: Answer) => Row[],
): UseQueryResult<{ items: Row[]; next: string | null }> {
  const data = query.data === undefined ? undefined : { items: selectRows(query.data), next: null };
  return { ...query, data } as UseQueryResult<{ items: Row[]; next: string | null }>;
}

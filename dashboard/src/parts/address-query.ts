/** The filters as the query of an address. */
export function toQuery(filters: object): string {
  const query = new URLSearchParams(Object.entries(filters) as [string, string][]).toString();
  return query === '' ? '' : `?${query}`;
}

/** Without what is left out or empty. */
export function withoutEmpty<Search extends object>(search: Search): Search {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== '' && value !== null),
  ) as Search;
}

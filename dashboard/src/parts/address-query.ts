export function toQuery(filters: object): string {
  const query = new URLSearchParams(Object.entries(filters) as [string, string][]).toString();
  return query === '' ? '' : `?${query}`;
}

export function withoutEmpty<Search extends object>(search: Search): Search {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== '' && value !== null),
  ) as Search;
}

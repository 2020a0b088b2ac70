const pageSizeMax = 100;

interface Page {
  size: number;
  from: number;
  to: number;
}

/** Undefined when the parameters are not a page. */
export function readPage(query: URLSearchParams): Page | undefined {
  const number = Number(query.get('pageNo') ?? 1);
  const size = Number(query.get('pageSize') ?? pageSizeMax);
  const isPage = Number.isInteger(number) && Number.isInteger(size) && number >= 1 && size >= 1 && size <= pageSizeMax;
  return isPage ? { size, from: (number - 1) * size, to: number * size } : undefined;
}

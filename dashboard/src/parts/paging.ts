/**
 * Cursors of the visited pages in the URL; the last one is the open page. Because the API returns only the next cursor,
 * they enable "Previous" even after a reload.
 */
export interface Paging {
  pages?: string[];
}

/** Limits the URL to less than 8 kB. The first page is always reachable. */
const PAGES_MAX = 20;

/** Validates the search of the URL. Malformed cursors lead to the first page. */
export function readPaging(search: Record<string, unknown>): Paging {
  const { pages } = search;
  if (!Array.isArray(pages)) return {};
  const cursors = pages.filter((page): page is string => typeof page === 'string' && page !== '').slice(-PAGES_MAX);
  return cursors.length === 0 ? {} : { pages: cursors };
}

/** Returns the cursor of the open page; undefined for the first page. */
export function getCursor({ pages }: Paging): string | undefined {
  return pages?.at(-1);
}

interface RowPage {
  items: unknown[];
  next: string | null;
}

/** Maximum number of empty pages that are skipped before the user decides whether to continue. */
const EMPTY_PAGES_MAX = 20;

/**
 * Returns the page of a cursor, or the next page with rows, because a selective filter returns empty pages. Returns an
 * empty page after too many empty ones.
 */
export async function readFirstWithRows<Page extends RowPage>(
  read: (cursor: string | undefined) => Promise<Page>,
  cursor: string | undefined,
): Promise<Page> {
  let page = await read(cursor);
  for (let passed = 0; passed < EMPTY_PAGES_MAX && page.items.length === 0 && page.next !== null; passed += 1) {
    page = await read(page.next);
  }
  return page;
}

/** Reads rows across pages, up to the maximum or until too many pages have been read. */
export async function readRows<Row>(
  read: (cursor: string | undefined) => Promise<{ items: Row[]; next: string | null }>,
  rowsMax: number,
): Promise<Row[]> {
  const { items, next } = await read(undefined);
  let cursor = next;
  for (let passed = 0; passed < EMPTY_PAGES_MAX && items.length < rowsMax && cursor !== null; passed += 1) {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next;
  }
  return items.slice(0, rowsMax);
}

export function nextPage({ pages = [] }: Paging, next: string): Paging {
  return { pages: [...pages, next].slice(-PAGES_MAX) };
}

export function previousPage({ pages = [] }: Paging): Paging {
  return pages.length > 1 ? { pages: pages.slice(0, -1) } : {};
}

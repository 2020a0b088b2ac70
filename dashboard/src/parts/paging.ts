/**
 * Paging in the address: the cursors of the pages passed, the last of which is the open one; the first page has none.
 * So "previous" works after a reload too, though the API only knows what comes next.
 */
export interface Paging {
  pages?: string[];
}

/** Older pages fall off the trail; the first page stays one click away. Keeps addresses below 8 kB. */
const PAGES_MAX = 20;

/** For a route's `validateSearch`; anything unreadable is the first page. */
export function readPaging(search: Record<string, unknown>): Paging {
  const { pages } = search;
  if (!Array.isArray(pages)) return {};
  const cursors = pages.filter((page): page is string => typeof page === 'string' && page !== '').slice(-PAGES_MAX);
  return cursors.length === 0 ? {} : { pages: cursors };
}

/** The open page's cursor; undefined for the first page. */
export function getCursor({ pages }: Paging): string | undefined {
  return pages?.at(-1);
}

interface RowPage {
  items: unknown[];
  next: string | null;
}

/** Pages without a row that are passed over; then the reader decides whether to look on. */
const EMPTY_PAGES_MAX = 20;

/**
 * The page of a cursor, or the first one behind it that has rows: a filter may match none of many rows. After so many
 * pages without one it is the last of these.
 */
export async function firstWithRows<Page extends RowPage>(
  read: (cursor: string | undefined) => Promise<Page>,
  cursor: string | undefined,
): Promise<Page> {
  let page = await read(cursor);
  for (let passed = 0; passed < EMPTY_PAGES_MAX && page.items.length === 0 && page.next !== null; passed += 1) {
    page = await read(page.next);
  }
  return page;
}

/** The first rows of a list, however few of them its pages have; fewer when so many pages have no more. */
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

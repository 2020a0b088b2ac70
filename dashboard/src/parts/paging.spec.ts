import { describe, expect, it } from 'vitest';
import { getCursor, nextPage, readPaging, readRows, previousPage } from './paging';

describe('paging', () => {
  it('returns to the first page with "previous"', () => {
    const second = nextPage({}, 'b');
    const third = nextPage(second, 'c');
    expect([{}, second, third].map(getCursor)).toEqual([undefined, 'b', 'c']);
    expect(previousPage(third)).toEqual(second);
    expect(previousPage(second)).toEqual({});
  });

  it('keeps the cursors of the last 20 pages', () => {
    let paging = {};
    for (let page = 1; page <= 100; page++) paging = nextPage(paging, `page-${page}`);
    expect(getCursor(paging)).toBe('page-100');
    expect(readPaging(paging).pages).toHaveLength(20);
  });

  it.each([[{}], [{ pages: 'b' }], [{ pages: [1, null, ''] }], [{ pages: {} }]])(
    'treats %j as the first page',
    (search) => {
      expect(readPaging(search)).toEqual({});
    },
  );
});

describe('readRows', () => {
  const PAGES = [[], [1, 2], [], [3, 4, 5], [6]];
  const read = (cursor = '0') => {
    const at = Number(cursor);
    return Promise.resolve({ items: [...PAGES[at]], next: at + 1 < PAGES.length ? String(at + 1) : null });
  };

  it.each([
    [4, [1, 2, 3, 4]],
    [100, [1, 2, 3, 4, 5, 6]],
  ])('reads up to %i rows across short and empty pages', async (rowsMax, expected) => {
    expect(await readRows(read, rowsMax)).toEqual(expected);
  });
});

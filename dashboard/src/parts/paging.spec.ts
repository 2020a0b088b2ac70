import { describe, expect, it } from 'vitest';
import { getCursor, nextPage, readPaging, readRows, previousPage } from './paging';

describe('paging', () => {
  it('walks forth and back to the first page', () => {
    const second = nextPage({}, 'b');
    const third = nextPage(second, 'c');
    expect([{}, second, third].map(getCursor)).toEqual([undefined, 'b', 'c']);
    expect(previousPage(third)).toEqual(second);
    expect(previousPage(second)).toEqual({});
  });

  it('keeps the address short and the open page right, however far one goes', () => {
    let paging = {};
    for (let page = 1; page <= 100; page++) paging = nextPage(paging, `page-${page}`);
    expect(getCursor(paging)).toBe('page-100');
    expect(readPaging(paging).pages).toHaveLength(20);
  });

  it.each([[{}], [{ pages: 'b' }], [{ pages: [1, null, ''] }], [{ pages: {} }]])(
    'reads %j as the first page',
    (search) => {
      expect(readPaging(search)).toEqual({});
    },
  );
});

describe('the first rows', () => {
  const PAGES = [[], [1, 2], [], [3, 4, 5], [6]];
  const read = (cursor = '0') => {
    const at = Number(cursor);
    return Promise.resolve({ items: [...PAGES[at]], next: at + 1 < PAGES.length ? String(at + 1) : null });
  };

  it.each([
    [4, [1, 2, 3, 4]],
    [100, [1, 2, 3, 4, 5, 6]],
  ])('up to %i are read behind pages that have few of them or none', async (rowsMax, expected) => {
    expect(await readRows(read, rowsMax)).toEqual(expected);
  });
});

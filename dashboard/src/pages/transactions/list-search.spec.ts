import { expect, it } from 'vitest';
import { toQuery } from '../../parts/address-query';
import { findSort, toFilters, readListSearch } from './list-search';

it('list search parses the filters and the cursor in a URL', () => {
  const search = {
    type: 'invoice',
    status: 'Valid',
    from: '2026-01-01',
    to: '2026-01-31',
    reference: 'A 1',
    by: 'key:01a1fc06-aaf7-7598-a650-5bdb926736ac',
    action: 'needed',
    cause: 'buyer_tin_invalid:/recipient/tin',
    error: 'buyer_tin_invalid',
    q: 'Ah Seng',
    dated_from: '2025-12-01',
    dated_to: '2025-12-31',
    sort: '-amount',
    pages: ['x'],
  };
  expect(readListSearch(search)).toEqual(search);
  expect(toQuery(toFilters(readListSearch(search)))).toBe(
    '?q=Ah+Seng&type=invoice&status=Valid&from=2026-01-01&to=2026-01-31&reference=A+1' +
      '&by=key%3A01a1fc06-aaf7-7598-a650-5bdb926736ac&action=needed&cause=buyer_tin_invalid%3A%2Frecipient%2Ftin' +
      '&error=buyer_tin_invalid&dated_from=2025-12-01&dated_to=2025-12-31&sort=-amount',
  );
});

it('list search drops the sort order if replaced attempts are included', () => {
  expect(readListSearch({ attempts: 'all', sort: '-amount' })).toEqual({ attempts: 'all' });
});

it('list search sorts by date if a document date is filtered', () => {
  expect(findSort({ dated_from: '2026-01-01' })).toBe('-date');
  expect(findSort({ dated_to: '2026-01-31', sort: 'amount' })).toBe('amount');
  expect(findSort({ dated_from: '2026-01-01', attempts: 'all' })).toBeUndefined();
});

it('list search accepts digits as text', () => {
  expect(readListSearch({ reference: 2026, q: 1004 })).toEqual({ reference: '2026', q: '1004' });
});

it('list search ignores malformed filters', () => {
  expect(
    readListSearch({
      type: 'x',
      status: 1,
      from: 'today',
      to: null,
      reference: '',
      batch: 'b',
      by: 'key:b',
      action: 'x',
      cause: '',
      q: ' ',
      error: 'a b',
      dated_from: 'today',
      sort: 'name',
    }),
  ).toEqual({});
  expect(toQuery({})).toBe('');
});

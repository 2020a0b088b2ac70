import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { AUTHORITY_ERRORS } from '../../src/documents/error-catalogue.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { SUBMIT_RULE_IDS } from '../../src/submission/submit-body.js';
import { buildSite } from '../../site/build-site.js';

// The search of the docs site: its index, asked by the file that the pages load for it.

type Search = (query: string) => readonly { readonly id: string; readonly title: string }[];
interface SearchModule {
  buildSearch(engine: typeof MiniSearch, index: string): Search;
}

const { buildSearch } = (await import(new URL('../../site/assets/search.js', import.meta.url).href)) as SearchModule;
const search = buildSearch(MiniSearch, buildSite().get('search-index.json') ?? '');
const find = (query: string): string[] => search(query).map(({ id }) => id);

describe('the search', () => {
  it.each(Object.keys(ERROR_CODES))('finds %s, with its page first', (code) => {
    expect(find(code)[0]).toBe(`/docs/errors/${code}`);
  });

  it('finds each code of the authority and the code of this service for it, in the list of errors', () => {
    const codes = AUTHORITY_ERRORS.flatMap(({ entries }) =>
      entries.flatMap((entry) => [entry.authorityCode, entry.code]),
    );
    expect(codes.length).toBeGreaterThan(100);
    const missed = codes.filter((code) => code !== null && !find(code).some((id) => id.startsWith('/docs/errors')));
    expect(missed).toEqual([]);
  });

  it('finds every rule of submit in their list', () => {
    expect(SUBMIT_RULE_IDS.length).toBeGreaterThan(100);
    expect(SUBMIT_RULE_IDS.filter((rule) => !find(rule).includes('/docs/errors#rules-of-submit'))).toEqual([]);
  });

  // What a new client team asked for, and where it reads on.
  it.each([
    ['foreign buyer', '/docs/buyers#foreign-buyers'],
    ['selangor', '/docs/codes#states'],
    ['classification', '/docs/codes#classifications'],
    ['tax type', '/docs/codes#tax-types'],
    ['rounding', '/docs/reference/submit#request-body'],
    ['npm install', '/docs/typescript-client'],
    ['webhook', '/docs/polling'],
    ['SIM-DROP', '/docs/simulator#reserved-document-numbers'],
    ['402', '/docs/errors/insufficient_credits'],
    ['parent_not_valid', '/docs/errors#findings-of-this-service'],
  ])('leads from %s to %s', (query, address) => {
    expect(find(query).slice(0, 5)).toContain(address);
  });
});

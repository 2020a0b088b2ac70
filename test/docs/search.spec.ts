import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { AUTHORITY_ERRORS } from '../../src/documents/error-catalogue.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { SUBMIT_RULE_IDS } from '../../src/submission/submit-body.js';
import { buildSite } from '../../site/build-site.js';

// Queries the search index of the docs site with the module that its pages load.

type Search = (query: string) => readonly { readonly id: string; readonly title: string }[];
interface SearchModule {
  buildSearch(engine: typeof MiniSearch, index: string): Search;
}

const { buildSearch } = (await import(new URL('../../site/assets/search.js', import.meta.url).href)) as SearchModule;
const search = buildSearch(MiniSearch, buildSite().get('search-index.json') ?? '');
const find = (query: string): string[] => search(query).map(({ id }) => id);

describe('search on the docs site', () => {
  it.each(Object.keys(ERROR_CODES))('ranks the page of %s first', (code) => {
    expect(find(code)[0]).toBe(`/docs/errors/${code}`);
  });

  it('finds every authority code in the list of errors', () => {
    const codes = AUTHORITY_ERRORS.flatMap(({ entries }) =>
      entries.flatMap((entry) => [entry.authorityCode, entry.code]),
    );
    expect(codes.length).toBeGreaterThan(100);
    const missed = codes.filter((code) => code !== null && !find(code).some((id) => id.startsWith('/docs/errors')));
    expect(missed).toEqual([]);
  });

  it('finds every submit rule in the list of rules', () => {
    expect(SUBMIT_RULE_IDS.length).toBeGreaterThan(100);
    expect(SUBMIT_RULE_IDS.filter((rule) => !find(rule).includes('/docs/errors#rules-of-submit'))).toEqual([]);
  });

  // Queries of a new client team with the section that answers each.
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
  ])('answers the query "%s" with %s', (query, address) => {
    expect(find(query).slice(0, 5)).toContain(address);
  });
});

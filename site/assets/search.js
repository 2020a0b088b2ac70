// Search of the site. A separate module, so that the tests can run it without a browser.

const FIELDS = { fields: ['title', 'text'], storeFields: ['title'] };
const OPTIONS = {
  prefix: true,
  fuzzy: 0.15,
  boost: { title: 4 },
  combineWith: 'AND',
  // Ranks the changelog below the current documentation.
  boostDocument: (id) => (id.startsWith('/docs/changelog') ? 0.1 : 1),
};
const RESULTS_MAX = 20;

export function buildSearch(MiniSearch, index) {
  const loaded = MiniSearch.loadJSON(index, FIELDS);
  return (query) => loaded.search(query, OPTIONS).slice(0, RESULTS_MAX);
}

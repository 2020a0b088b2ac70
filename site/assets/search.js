// What a text in the search field finds; apart from the page's script, so that a test asks as a reader does.

const FIELDS = { fields: ['title', 'text'], storeFields: ['title'] };
const OPTIONS = {
  prefix: true,
  fuzzy: 0.15,
  boost: { title: 4 },
  combineWith: 'AND',
  // What was changed when comes after what is.
  boostDocument: (id) => (id.startsWith('/docs/changelog') ? 0.1 : 1),
};
const RESULTS_MAX = 12;

export function buildSearch(MiniSearch, index) {
  const loaded = MiniSearch.loadJSON(index, FIELDS);
  return (query) => loaded.search(query, OPTIONS).slice(0, RESULTS_MAX);
}

import MiniSearch from 'minisearch';
import { buildCodesPage } from './codes-page.js';
import { buildPostmanFiles } from './collections.js';
import { buildErrorPages } from './error-pages.js';
import { layOut, type MenuSection } from './layout.js';
import { adoptLinks, FORM_PLACEHOLDER, type Page, type RenderedPage, renderMarkdown, toAddress } from './markdown.js';
import { buildReferencePages } from './reference.js';
import { readSource } from './sources.js';

/** Pages of the guide in menu order: `site/pages/NAME.md`. */
export const GUIDE = [
  'index',
  'quickstart',
  'buyers',
  'retries',
  'polling',
  'handling-errors',
  'credits',
  'credit-notes',
  'cancellations',
  'month-end',
  'sandbox',
  'going-live',
  'versioning',
];

/** Other pages of the project that the site includes. */
const SHARED: Readonly<Record<string, string>> = {
  errors: 'docs/errors.md',
  rules: 'docs/rules.md',
  'document-map': 'docs/document-map.md',
  simulator: 'docs/simulator.md',
  dashboard: 'docs/dashboard.md',
  'typescript-client': 'clients/typescript/README.md',
  changelog: 'CHANGELOG.md',
};

const guidePages = GUIDE.map((name) => [name === 'index' ? '' : name, `site/pages/${name}.md`] as const);
const pagesByFile = new Map([
  ...guidePages.map(([page, file]): [string, string] => [file, page]),
  ...Object.entries(SHARED).map(([page, file]): [string, string] => [file, page]),
  ['openapi.json', 'reference'],
  ['docs/reference.md', 'reference'],
  ['src/documents/code-lists/state-codes.json', 'codes'],
  ['src/documents/code-lists/unsupported-members.json', 'codes'],
]);

/** Builds all files of the site, keyed by their path below /docs. The result does not depend on time or machine. */
export function buildSite(): Map<string, string> {
  const guide = guidePages.map(([page, file]) => readPage(page, file));
  const shared = Object.entries(SHARED).map(([page, file]) => readPage(page, file));
  const reference = [...buildReferencePages(), buildCodesPage()];
  const errors = buildErrorPages();
  const menu: MenuSection[] = [
    { title: 'Guide', entries: guide },
    { title: 'Reference', entries: [...reference, ...shared.filter((page) => page.path !== 'changelog')] },
    { title: 'Changes', entries: shared.filter((page) => page.path === 'changelog') },
  ];
  const pages = [...guide, ...shared, ...reference, ...errors].map((page) => ({
    page,
    rendered: renderMarkdown(page),
  }));
  return new Map([
    ...pages.flatMap(({ page, rendered }) => writePage(page, rendered, menu)),
    ['llms.txt', formatLlmsText([...guide, ...reference, ...shared])],
    ['search-index.json', buildSearchIndex(pages)],
    ...['site.css', 'site.js', 'search.js'].map((file): [string, string] => [
      `assets/${file}`,
      readSource(`site/assets/${file}`),
    ]),
    ['assets/minisearch.js', readMiniSearch()],
    ...buildPostmanFiles(),
  ]);
}

function readPage(page: string, file: string): Page {
  // Removes images, which the site does not contain, and comments, which only the page tests use.
  const source = readSource(file).replaceAll(/^(?:<!--.*-->|!\[.*\]\(.*\)|<img .*>)\n+/gm, '');
  const text = adoptLinks(source, file, pagesByFile);
  const [, title = page] = /^# (.+)$/m.exec(text) ?? [];
  return { path: page, title, markdown: page === 'errors' ? linkCodes(text) : text };
}

/** Links each code in the list of errors to its page. */
function linkCodes(text: string): string {
  return text.replaceAll(/^- (\d{3}) `(\w+)`/gm, (_, status: string, code: string) => {
    return `- ${status} [${code}](${toAddress(`errors/${code}`)})`;
  });
}

function writePage(page: Page, rendered: RenderedPage, menu: readonly MenuSection[]): [string, string][] {
  const file = page.path === '' ? 'index' : page.path;
  return [
    [`${file}.html`, layOut(page, rendered, menu)],
    [`${file}.md`, `${page.markdown.replace(`${FORM_PLACEHOLDER}\n`, '').trimEnd()}\n`],
  ];
}

/** Lists the Markdown pages for language models (llmstxt.org). */
function formatLlmsText(pages: readonly Page[]): string {
  const links = pages.map(({ path: page, title }) => `- [${title}](${toAddress(page === '' ? 'index' : page)}.md)`);
  return [
    '# E-invoice submission service',
    "> Accepts simplified e-invoices over HTTP, submits them to Malaysia's MyInvois and follows them to their outcome.",
    'Each page is Markdown; without `.md` it is HTML. The OpenAPI description is at /api/docs-json.',
    `## Pages\n\n${links.join('\n')}`,
    `## Optional\n\n- [Every error code](${toAddress('errors')}.md), with a page for each at ${toAddress('errors')}/CODE.md`,
    '',
  ].join('\n\n');
}

// site/assets/search.js must load the index with the same fields.
const SEARCH_FIELDS = { fields: ['title', 'text'], storeFields: ['title'] };

function buildSearchIndex(pages: readonly { page: Page; rendered: RenderedPage }[]): string {
  const index = new MiniSearch(SEARCH_FIELDS);
  index.addAll(pages.flatMap(({ page, rendered }) => listSearchEntries(page, rendered)));
  return JSON.stringify(index);
}

/**
 * Lists one search entry per section, so that results link to sections. Error pages are short and have a single entry.
 */
function listSearchEntries({ path, title }: Page, { sections }: RenderedPage): object[] {
  const address = toAddress(path);
  if (path.startsWith('errors/')) return [{ id: address, title, text: sections.map(({ text }) => text).join('\n') }];
  return sections.map(({ heading, text }) =>
    heading === null
      ? { id: address, title, text }
      : { id: `${address}#${heading.anchor}`, title: `${title}: ${heading.text}`, text },
  );
}

function readMiniSearch(): string {
  return readSource('node_modules/minisearch/dist/es/index.js').replace(/\n\/\/# sourceMappingURL.*/, '');
}

import path from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';

/** Page of the site, which is shown as HTML and served as Markdown. */
export interface Page {
  /** Address below /docs without an extension: `errors/rate_limited`. Empty for the first page. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
  /** HTML that replaces the line `FORM_PLACEHOLDER`. */
  readonly form?: string;
}

export const PREFIX = '/docs';
export const FORM_PLACEHOLDER = '<!-- form -->';

export function toAddress(page: string): string {
  return page === '' ? `${PREFIX}/` : `${PREFIX}/${page}`;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'curl',
  sh: 'Shell',
  ts: 'TypeScript',
  python: 'Python',
  http: 'Response',
  'http-request': 'Request',
  json: 'JSON',
};

const renderer = new MarkdownIt();

export function escapeHtml(text: string): string {
  return renderer.utils.escapeHtml(text);
}

// Blocks that scroll sideways need a tabindex to be reachable by keyboard.
renderer.renderer.rules.fence = (tokens, index): string => {
  const { content, info } = tokens[index];
  const label = LANGUAGES[info] ?? 'Text';
  return (
    `<figure class="code" data-language="${escapeHtml(info)}"><figcaption>${label}</figcaption>` +
    `<pre tabindex="0" role="group" aria-label="${label}"><code>${escapeHtml(content)}</code></pre></figure>\n`
  );
};
renderer.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
renderer.renderer.rules.table_close = () => '</table></div>\n';

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

/** Text of a page below one heading, for the search index. */
interface Section {
  /** Null for the text before the first heading. */
  readonly heading: Heading | null;
  /** Text without markup and code blocks, except shell commands. */
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

export function renderMarkdown({ markdown, form = '' }: Page): RenderedPage {
  const tokens = renderer.parse(markdown, {});
  const headings = addAnchors(tokens);
  const html = renderer.renderer
    .render(tokens, renderer.options, {})
    .replace(`<p>${escapeHtml(FORM_PLACEHOLDER)}</p>`, () => form);
  return { html: groupSnippets(html), headings, sections: divideIntoSections(tokens, headings) };
}

/** Gives each heading the same anchor as GitHub. Repeated headings get a number. */
function addAnchors(tokens: readonly Token[]): Heading[] {
  const counts = new Map<string, number>();
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const text = collectText(tokens[index + 1]);
    const base = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const earlier = counts.get(base) ?? 0;
    counts.set(base, earlier + 1);
    const anchor = earlier === 0 ? base : `${base}-${earlier}`;
    token.attrSet('id', anchor);
    return [{ level: Number(token.tag.slice(1)), text, anchor }];
  });
}

function divideIntoSections(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const below = headings.filter(({ level }) => level > 1);
  const starts = tokens.flatMap(({ type, tag }, index) => (type === 'heading_open' && tag !== 'h1' ? [index] : []));
  return [0, ...starts].map((start, index, all) => ({
    heading: below[index - 1] ?? null,
    text: tokens
      .slice(start, all[index + 1])
      .filter(({ type, info }) => type === 'inline' || (type === 'fence' && info === 'sh'))
      .map((token) => (token.type === 'fence' ? token.content : collectText(token)))
      .join('\n'),
  }));
}

function collectText({ children }: Token): string {
  return (children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

const SNIPPETS =
  /(?:<figure class="code" data-language="(?:bash|ts|python)">(?:(?!<\/figure>)[\s\S])*<\/figure>\n){2,}/g;

/** Groups versions of a request in several languages. The page's script shows the language chosen by the reader. */
function groupSnippets(html: string): string {
  return html.replaceAll(SNIPPETS, (group) => `<div class="snippets">\n${group}</div>\n`);
}

/**
 * Rewrites the relative links in a file of the project. Links to pages of the site become its addresses, and other links
 * become plain text. A link in parentheses that leads to another file is removed.
 * @param pages paths of pages by their source files
 */
export function adoptLinks(markdown: string, file: string, pages: ReadonlyMap<string, string>): string {
  const findPage = (target: string): string | undefined => pages.get(path.posix.join(path.posix.dirname(file), target));
  return markdown
    .replaceAll(/ ?\(\[[^\]]+\]\((?!https?:|\/|#)([^)#\s]*)(?:#[^)\s]+)?\)\)/g, (whole, target: string) =>
      findPage(target) === undefined ? '' : whole,
    )
    .replaceAll(
      /\[([^\]]+)\]\((?!https?:|\/|#)([^)#\s]*)(#[^)\s]+)?\)/g,
      (_, text: string, target: string, anchor = '') => {
        const page = findPage(target);
        return page === undefined ? text : `[${text}](${toAddress(page)}${anchor})`;
      },
    );
}

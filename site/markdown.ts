import path from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { escapeHtml } from './html.js';

/** What a page is made of: the same text is shown as HTML and served as Markdown. */
export interface Page {
  /** Below /docs, without an ending: `errors/rate_limited`; empty for the first page. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
  /** HTML that replaces a line `<!-- NAME -->` of the text. */
  readonly parts?: Readonly<Record<string, string>>;
}

export const PREFIX = '/docs';

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

const renderer = new MarkdownIt({ html: false, linkify: false, typographer: false });

renderer.renderer.rules.fence = (tokens, index): string => {
  const { content, info } = tokens[index];
  const language = info.trim();
  const label = LANGUAGES[language] ?? 'Text';
  // A block that scrolls sideways must be reachable by keyboard.
  return (
    `<figure class="code" data-language="${escapeHtml(language)}"><figcaption>${label}</figcaption>` +
    `<pre tabindex="0" role="group" aria-label="${label}"><code>${escapeHtml(content)}</code></pre></figure>\n`
  );
};
renderer.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
renderer.renderer.rules.table_close = () => '</table></div>\n';

/** The anchor of a heading, as GitHub makes it; a repeated one gets a number. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** What the search finds: the text before the first heading below the title, then each heading's. */
  readonly sections: readonly Section[];
}

interface Section {
  /** Null for the beginning of the page. */
  readonly heading: Heading | null;
  /** Without markup, code blocks other than shell commands left out. */
  readonly text: string;
}

export function renderMarkdown({ markdown, parts = {} }: Page): RenderedPage {
  const tokens = renderer.parse(markdown, {});
  const taken = new Map<string, number>();
  const headings = tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const text = collectText(tokens[index + 1]);
    const first = toAnchor(text);
    const earlier = taken.get(first) ?? 0;
    taken.set(first, earlier + 1);
    const anchor = earlier === 0 ? first : `${first}-${earlier}`;
    token.attrSet('id', anchor);
    return [{ level: Number(token.tag.slice(1)), text, anchor }];
  });
  const html = renderer.renderer
    .render(tokens, renderer.options, {})
    .replaceAll(/<p>&lt;!-- part (\w+) --&gt;<\/p>/g, (_, name: string) => parts[name] ?? '');
  return { html: groupSnippets(html), headings, sections: divideIntoSections(tokens, headings) };
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

/** The same request in several languages: the page's script lets the reader choose one. */
function groupSnippets(html: string): string {
  return html.replaceAll(SNIPPETS, (group) => `<div class="snippets">\n${group}</div>\n`);
}

/**
 * The text of a file of the project as a page of the site: links to other pages become addresses of the site, and what
 * leads to files that the site does not have is text, or nothing where it only says where to read on.
 * @param pages addresses of the site by the files that they are made of
 */
export function adoptLinks(markdown: string, file: string, pages: ReadonlyMap<string, string>): string {
  return markdown
    .replaceAll(/ ?\(\[[^\]]+\]\((?!https?:|\/|#)([^)#\s]*)(?:#[^)\s]+)?\)\)/g, (whole, target: string) =>
      pages.has(path.posix.join(path.posix.dirname(file), target)) ? whole : '',
    )
    .replaceAll(/!\[[^\]]*\]\([^)]*\)\n?/g, '')
    .replaceAll(
      /\[([^\]]+)\]\((?!https?:|\/|#)([^)#\s]*)(#[^)\s]+)?\)/g,
      (_, text: string, target: string, anchor = '') => {
        const page = pages.get(path.posix.join(path.posix.dirname(file), target));
        return page === undefined ? text : `[${text}](${toAddress(page)}${anchor})`;
      },
    );
}

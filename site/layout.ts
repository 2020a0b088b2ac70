import { escapeHtml, type Heading, type Page, PREFIX, type RenderedPage, toAddress } from './markdown.js';

export interface MenuSection {
  readonly title: string;
  readonly entries: readonly Page[];
}

/** Builds the HTML of a page. The page is readable without its script, which adds search, languages and requests. */
export function layOut({ path, title }: Page, rendered: RenderedPage, menu: readonly MenuSection[]): string {
  const address = toAddress(path);
  const markdown = path === '' ? `${PREFIX}/index.md` : `${address}.md`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · E-invoice submission service</title>
<link rel="stylesheet" href="${PREFIX}/assets/site.css">
<link rel="alternate" type="text/markdown" href="${markdown}">
<link rel="icon" href="data:,">
<script type="module" src="${PREFIX}/assets/site.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${PREFIX}/">E-invoice docs</a>
<search><label for="search">Search</label><input id="search" type="search" autocomplete="off" placeholder="Text or error code"><div id="results" hidden></div></search>
</header>
<div class="columns">
<nav aria-label="Pages">
<details class="menu" open><summary>Pages</summary>
${menu.map((section) => layOutSection(section, path)).join('\n')}
</details>
</nav>
<main id="content">
${layOutContents(rendered.headings)}${rendered.html}
<p class="source"><a href="${markdown}">This page as Markdown</a></p>
</main>
</div>
</body>
</html>
`;
}

function layOutSection({ title, entries }: MenuSection, current: string): string {
  const links = entries.map(({ path, title: name }) => {
    const here = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${toAddress(path)}"${here}>${escapeHtml(name)}</a></li>`;
  });
  return `<p class="section">${escapeHtml(title)}</p>\n<ul>\n${links.join('\n')}\n</ul>`;
}

const CONTENTS_MIN = 4;

/** Lists the headings of a long page. */
function layOutContents(headings: readonly Heading[]): string {
  const parts = headings.filter(({ level }) => level === 2);
  if (parts.length < CONTENTS_MIN) return '';
  const links = parts.map(({ anchor, text }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return `<details class="contents"><summary>On this page</summary><ul>${links.join('')}</ul></details>\n`;
}

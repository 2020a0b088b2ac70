import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { buildSite, GUIDE } from '../../site/build-site.js';
import { filesUnder } from './pages.js';

const files = buildSite();

function read(file: string): string {
  const text = files.get(file);
  if (text === undefined) throw new Error(`The site has no ${file}`);
  return text;
}

const pages = [...files.keys()].filter((name) => name.endsWith('.html'));

function findBrokenLinks(name: string, pattern: RegExp): string[] {
  return [...read(name).matchAll(pattern)]
    .map(([, address = '']) => address)
    .filter((address) => {
      const [path = '', anchor] = address.replace(/^\/docs\/?/, '').split('#');
      const page = files.get(path) ?? files.get(`${path === '' ? 'index' : path}.html`);
      return page === undefined || (anchor !== undefined && !page.includes(`id="${anchor}"`));
    });
}

describe('docs site', () => {
  it.each(pages)('has a Markdown version of %s without broken links', (page) => {
    expect(findBrokenLinks(page, /href="(\/docs[^"]*)"/g)).toEqual([]);
    const markdown = page.replace('.html', '.md');
    expect(read(markdown)).toMatch(/^# /);
    expect(findBrokenLinks(markdown, /\]\((\/docs[^)]*)\)/g)).toEqual([]);
  });

  it('lists every file of site/pages in its menu', () => {
    expect(GUIDE.map((name) => `site/pages/${name}.md`).toSorted()).toEqual(filesUnder('site/pages', /\.md$/));
  });

  it('explains cause, fix and corrected request for each error code', () => {
    for (const [code, { meaning, action }] of Object.entries(ERROR_CODES)) {
      const page = read(`errors/${code}.md`);
      expect(page).toContain(`## Cause\n\n${meaning}`);
      expect(page).toContain(`## Fix\n\n${action}`);
      expect(page).toMatch(/\nBefore:\n\n```http-request\n[\s\S]*\nAfter[\s\S]*```http-request\n/);
      expect(page).toContain(`"helpUrl": "/docs/errors/${code}"`);
    }
  });

  it('links to the Markdown version of every menu page in llms.txt', () => {
    const menu = [...read('index.html').matchAll(/<li><a href="(\/docs[^"]*)"/g)].map(([, address = '']) => address);
    const listed = [...read('llms.txt').matchAll(/\]\((\/docs[^)]*)\.md\)/g)].map(([, address = '']) => address);
    expect(menu.length).toBeGreaterThan(GUIDE.length);
    expect(menu.map((address) => address.replace(/\/$/, '/index')).filter((page) => !listed.includes(page))).toEqual(
      [],
    );
  });

  it('uses neither external resources nor inline scripts or styles', () => {
    for (const page of pages) {
      const html = read(page);
      expect(html).not.toMatch(/<script(?![^>]* src="\/docs\/assets\/)|<style| style=| on\w+="/);
      expect(html).not.toMatch(/<(?:link|img|script)[^>]*(?:src|href)="https?:/);
    }
  });
});

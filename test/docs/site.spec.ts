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

describe('the docs site', () => {
  it.each(pages)('%s links only to pages and headings that exist, and is there as Markdown', (page) => {
    expect(findBrokenLinks(page, /href="(\/docs[^"]*)"/g)).toEqual([]);
    const markdown = page.replace('.html', '.md');
    expect(read(markdown)).toMatch(/^# /);
    expect(findBrokenLinks(markdown, /\]\((\/docs[^)]*)\)/g)).toEqual([]);
  });

  it('has every file of site/pages in its menu', () => {
    expect(GUIDE.map((name) => `site/pages/${name}.md`).toSorted()).toEqual(filesUnder('site/pages', /\.md$/));
  });

  it('has a page for each error code, with its cause, its fix, and a request before and after', () => {
    for (const [code, { meaning, action }] of Object.entries(ERROR_CODES)) {
      const page = read(`errors/${code}.md`);
      expect(page).toContain(`## Cause\n\n${meaning}`);
      expect(page).toContain(`## Fix\n\n${action}`);
      expect(page).toMatch(/\nBefore:\n\n```http-request\n[\s\S]*\nAfter[\s\S]*```http-request\n/);
      expect(page).toContain(`"helpUrl": "/docs/errors/${code}"`);
    }
  });

  it('lists every page of its menu in llms.txt, as Markdown', () => {
    const menu = [...read('index.html').matchAll(/<li><a href="(\/docs[^"]*)"/g)].map(([, address = '']) => address);
    const listed = [...read('llms.txt').matchAll(/\]\((\/docs[^)]*)\.md\)/g)].map(([, address = '']) => address);
    expect(menu.length).toBeGreaterThan(GUIDE.length);
    expect(menu.map((address) => address.replace(/\/$/, '/index')).filter((page) => !listed.includes(page))).toEqual(
      [],
    );
  });

  it('names every file of the Bruno folder in the lines that download it', () => {
    const [, listed = ''] = /for file in (.*); do/.exec(read('sandbox.md')) ?? [];
    const folder = [...files.keys()].filter((name) => name.startsWith('bruno/')).map((name) => name.slice(6));
    expect(listed.split(' ').toSorted()).toEqual(folder.toSorted());
  });

  it('loads nothing from elsewhere, and has no script or style in its pages', () => {
    for (const page of pages) {
      const html = read(page);
      expect(html).not.toMatch(/<script(?![^>]* src="\/docs\/assets\/)|<style| style=| on\w+="/);
      expect(html).not.toMatch(/<(?:link|img|script)[^>]*(?:src|href)="https?:/);
    }
  });
});

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = new URL('../../', import.meta.url);

export function readText(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

/** Lists the files in a folder with paths relative to the repository. */
export function filesUnder(folder: string, extension: RegExp): string[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => extension.test(file))
    .map((file) => path.posix.join(folder, file))
    .sort();
}

/** Pages of the project except CHANGELOG.md, which has a separate limit. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'dashboard/README.md',
  'clients/typescript/README.md',
  'deploy/README.md',
  ...filesUnder('docs', /\.md$/),
  ...filesUnder('site/pages', /\.md$/),
];

/** Returns the cells of the table whose header starts with the given columns. */
export function tableRows(page: string, ...columns: readonly string[]): string[][] {
  const cellsOf = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const lines = page.split('\n');
  const header = lines.findIndex((line) => {
    const cells = cellsOf(line).map((cell) => cell.replaceAll('`', ''));
    return columns.every((column, index) => cells[index] === column);
  });
  if (header === -1) throw new Error(`There is no table of ${columns.join(', ')}`);
  const end = lines.findIndex((line, index) => index > header && !line.startsWith('|'));
  return lines.slice(header + 2, end).map(cellsOf);
}

/** Returns the text between a heading and the next one. */
export function sectionOf(page: string, heading: string): string {
  const [, after] = page.split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`There is no heading ${heading}`);
  return after.split(/\n#+ /)[0] ?? '';
}

/** Returns inline code and the lines of code blocks other than JSON. */
export function codeIn(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```/gm)].map(([, language, block = '']) =>
    language === 'http' || language === 'json' ? '' : block,
  );
  const inline = [...page.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [...blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')), ...inline];
}

/** Returns the GitHub anchors of the headings. */
export function anchorsIn(page: string): string[] {
  const withoutCode = page.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  return [...withoutCode.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

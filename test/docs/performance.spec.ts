import { format } from 'prettier';
import { expect, it } from 'vitest';
import { type BenchFile, writeFigures } from '../../bench/page.js';
import { readText } from './pages.js';

// The figures of the page are those of bench/figures.json: `npm run bench -- --json bench/figures.json` measures them,
// `npx vitest run test/docs/performance.spec.ts --update` writes them between the marks.

const MARKED = /(<!-- figures -->\n)[\s\S]*?(<!-- end of figures -->)/;

it('docs/performance.md has the figures of bench/figures.json, with their machine and commit', async () => {
  const page = readText('docs/performance.md');
  const figures = writeFigures(JSON.parse(readText('bench/figures.json')) as BenchFile);
  expect(page).toMatch(MARKED);
  const made = page.replace(MARKED, (_, begin: string, end: string) => `${begin}\n${figures}\n\n${end}`);
  await expect(await format(made, { parser: 'markdown', printWidth: 120 })).toMatchFileSnapshot(
    '../../docs/performance.md',
  );
});

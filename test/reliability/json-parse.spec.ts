import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PARSERS = ['simulator/parse-json.ts', 'src/common/parse-json-text.ts'];
// Files that are part of the product.
const OWN_FILES = ['simulator/code-lists.ts', 'simulator/error-texts.ts'];
const TESTS = /\.spec\.ts$|^src\/documents\/golden\/|^simulator\/testing\/|\.fixtures\.ts$/;

it('JSON.parse is called only by the parsers, because Node 24 may return wrong member names', () => {
  const callers = ['src', 'simulator']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((file) => file.endsWith('.ts') && !TESTS.test(file))
    .filter((file) => /JSON\.parse\(|\.json\(\)/.test(readFileSync(file, 'utf8')));
  expect(callers.toSorted()).toEqual([...PARSERS, ...OWN_FILES].toSorted());
});

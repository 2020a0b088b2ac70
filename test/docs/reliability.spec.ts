import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHECKS } from '../chaos/checks/evidence.js';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/reliability.md', root), 'utf8');

it('docs/reliability.md mentions only existing test files', () => {
  const named = [...page.matchAll(/`([\w./-]+\.spec\.ts)`/g)].map(([, file = '']) => file);
  const files = named.map((file) => (file.includes('/') ? file : `test/dispatcher/${file}`));
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});

it('docs/reliability.md explains exactly the counters of a chaos run', () => {
  const [, section = ''] = page.split('\n## Chaos\n');
  const explained = [...section.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name);
  expect(explained).toEqual([...CHECKS]);
});

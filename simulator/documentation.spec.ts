import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { apiNames } from './api-names.js';
import { controlCallNames } from './control-description.js';
import { faultNames } from './fault-table.js';
import { reservedNamesText } from './reserved-names.js';
import { settingNames } from './settings.js';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, send } from './testing/test-client.js';

// QA teams rely on docs/simulator.md, so it must be complete and its examples must work.
const page = readFileSync(new URL('../docs/simulator.md', import.meta.url), 'utf8');

/** Returns the names in backticks at the start of the list items under a heading. */
function listedNames(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const points = [...section.matchAll(/^- ((?:`[^`]+`(?:, )?)+)/gm)];
  return points.flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

const sorted = (names: readonly string[]) => names.toSorted();

it('lists exactly the supported settings, faults, calls and reserved numbers', () => {
  expect(sorted(listedNames('Settings'))).toEqual(sorted(settingNames));
  expect(sorted(listedNames('Faults'))).toEqual(sorted(faultNames));
  const reserved = reservedNamesText.match(/SIM-[A-Z]+-[^,]*…/g) ?? [];
  expect(sorted(listedNames('Reserved document numbers'))).toEqual(sorted(reserved));
  for (const api of apiNames) expect(page).toContain(`\`${api}\``);
});

/** Method, path and body of each curl command on the page. Commands may span several lines. */
const examples = [...page.matchAll(/^curl -s (?:-X (\w+) )?'?localhost:4010([^\s']+)'?(?: -d '([^']+)')?/gm)].map(
  ([, method = 'GET', path = '', body]) => ({ method, path, body }),
);

it('shows every control call', () => {
  const shown = examples.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  expect(sorted([...new Set(shown)])).toEqual(sorted(controlCallNames));
});

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ settings: { validationDelayMs: 0 } });
});
beforeEach(() => control(simulator.url, 'reset'));
afterAll(() => simulator.close());

it.each(examples)('runs $method $path $body without an error', async ({ method, path, body }) => {
  const client = await TestClient.login(simulator.url);
  const uuid = await client.accept(exampleEntry());
  const withUuid = (text: string) => text.replace(/[0-9A-Z]{26}/, uuid);
  const response = await send(simulator.url + withUuid(path), { method, body: body && withUuid(body) });
  expect(response.text).not.toContain('"error"');
  expect(response.status).toBe(200);
});

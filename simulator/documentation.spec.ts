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

// docs/simulator.md is what a QA team works with: it names all there is, nothing else, and what it shows works.
const page = readFileSync(new URL('../docs/simulator.md', import.meta.url), 'utf8');

/** The names in code type with which the points of a list under a heading begin. */
function listedNames(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const points = [...section.matchAll(/^- ((?:`[^`]+`(?:, )?)+)/gm)];
  return points.flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

const sorted = (names: readonly string[]) => names.toSorted();

it('names every setting, every fault, every call and every reserved number, and no other', () => {
  expect(sorted(listedNames('Settings'))).toEqual(sorted(settingNames));
  expect(sorted(listedNames('Faults'))).toEqual(sorted(faultNames));
  const reserved = reservedNamesText.match(/SIM-[A-Z]+-[^,]*…/g) ?? [];
  expect(sorted(listedNames('Reserved document numbers'))).toEqual(sorted(reserved));
  for (const api of apiNames) expect(page).toContain(`\`${api}\``);
});

/** Method, path and body of each curl command on the page, whose commands may go on over lines. */
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

it.each(examples)('$method $path $body works as it is written', async ({ method, path, body }) => {
  const client = await TestClient.login(simulator.url);
  const uuid = await client.accept(exampleEntry());
  const withUuid = (text: string) => text.replace(/[0-9A-Z]{26}/, uuid);
  const response = await send(simulator.url + withUuid(path), { method, body: body && withUuid(body) });
  expect(response.text).not.toContain('"error"');
  expect(response.status).toBe(200);
});

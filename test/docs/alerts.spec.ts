import { expect, it } from 'vitest';
import { readAlerts, RULES_FILE } from '../alerts/rules.js';
import { anchorsIn, readText } from './pages.js';
import { readFileSync } from 'node:fs';

// Who is called by an alert finds what to do, and no alert waits for a metric that nobody measures.

const rules = readFileSync(RULES_FILE, 'utf8');
const names = [...new Set(readAlerts(rules).map(({ name }) => name))];
const runbook = readText('docs/runbook.md');
/** What prom-client measures of every process. */
const DEFAULT_METRICS = [
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
  'process_cpu_seconds_total',
];

it('every alert has its section in the runbook, and every section from the first alert on its alert', () => {
  const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, section]) => section);
  expect(names.length).toBeGreaterThan(10);
  expect([...names].sort()).toEqual([...sections].sort());
});

it('every alert leads to the heading of its section', () => {
  const anchors = anchorsIn(runbook);
  for (const { name, annotations, severity } of readAlerts(rules)) {
    expect(annotations.runbook).toBe(`docs/runbook.md#${name.toLowerCase()}`);
    expect(anchors).toContain(name.toLowerCase());
    expect(annotations.summary).not.toBe('');
    expect(['page', 'ticket']).toContain(severity);
  }
});

it.each([
  ['the rules', rules],
  ['the runbook', runbook],
])('%s name metrics that the service measures, and labels of no organisation', (_what, text) => {
  const source = readText('src/common/metrics.ts');
  const measured = [...source.matchAll(/name: '([a-z_]+)'/g)].map(([, name]) => name);
  const known = measured.flatMap((name) => [name, `${name}_count`, `${name}_sum`, `${name}_bucket`]);
  const used = text.match(/\b(?:einvoice|nodejs|process)_[a-z0-9_]+/g) ?? [];
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => ![...known, ...DEFAULT_METRICS].includes(name))).toEqual([]);
  expect(source).not.toMatch(/labelNames: \[[^\]]*tenant/i);
});

import { expect, it } from 'vitest';
import { readAlerts, RULES_FILE } from '../alerts/rules.js';
import { anchorsIn, readText } from './pages.js';
import { readFileSync } from 'node:fs';

// Every alert has a runbook section and uses existing metrics.

const rules = readFileSync(RULES_FILE, 'utf8');
const names = [...new Set(readAlerts(rules).map(({ name }) => name))];
const runbook = readText('docs/runbook.md');
/** Default metrics of prom-client. */
const DEFAULT_METRICS = [
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
  'process_cpu_seconds_total',
];

it('runbook has one section per alert', () => {
  const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, section]) => section);
  expect(names.length).toBeGreaterThan(10);
  expect([...names].sort()).toEqual([...sections].sort());
});

it('every alert links to its section of the runbook', () => {
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
])('metrics of %s exist and have no organisation labels', (_what, text) => {
  const source = readText('src/common/metrics.ts');
  const measured = [...source.matchAll(/name: '([a-z_]+)'/g)].map(([, name]) => name);
  const known = measured.flatMap((name) => [name, `${name}_count`, `${name}_sum`, `${name}_bucket`]);
  const used = text.match(/\b(?:einvoice|nodejs|process)_[a-z0-9_]+/g) ?? [];
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => ![...known, ...DEFAULT_METRICS].includes(name))).toEqual([]);
  expect(source).not.toMatch(/labelNames: \[[^\]]*tenant/i);
});

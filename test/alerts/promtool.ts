import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPrometheus } from './debian-binaries.js';
import { type AlertRule, readAlerts, RULES_FILE } from './rules.js';

const promtool = findPrometheus('promtool');

/** Metric with its labels and its values per minute in promtool's notation. */
export interface Series {
  readonly series: string;
  readonly values: string;
}

export interface Expected {
  readonly alert: string;
  /** Required for alerts with several severities. */
  readonly severity?: string;
  /** Labels of each expected alert. */
  readonly firing: readonly Record<string, string>[];
  readonly minute: number;
}

export interface Scene {
  readonly series: readonly Series[];
  readonly expected: readonly Expected[];
}

interface Played {
  readonly isGood: boolean;
  readonly output: string;
}

export function checkRules(): Promise<Played> {
  return run(['check', 'rules', fileURLToPath(RULES_FILE)]);
}

/** Evaluates the rules for the scenes. The test file is JSON, which is valid YAML. */
export async function playScenes(scenes: readonly Scene[]): Promise<Played> {
  const folder = mkdtempSync(path.join(tmpdir(), 'alerts-'));
  try {
    const file = path.join(folder, 'scenes.yaml');
    writeFileSync(file, JSON.stringify(buildTests(scenes)));
    return await run(['test', 'rules', file]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const GOT = /alertname: (\w+), time: (\d+)m[\s\S]*?got:\[([\s\S]*?)\n\s*\]/g;

/**
 * Evaluates the rules for the series and finds the firing alerts at some minutes.
 * @returns `ALERT SEVERITY` of each firing alert by the name of the minute
 */
export async function findFiring<Name extends string>(
  series: readonly Series[],
  minutes: Readonly<Record<Name, number>>,
): Promise<Record<Name, string[]>> {
  const alerts = [...new Set(readAlerts().map(({ name }) => name))];
  const named = Object.entries<number>(minutes);
  // Expects no alerts, so that promtool reports all firing alerts as deviations.
  const expected = named.flatMap(([, minute]) => alerts.map((alert) => ({ alert, firing: [], minute })));
  const { output } = await playScenes([{ series, expected }]);
  if (!/SUCCESS|got:\[/.test(output)) throw new Error(`promtool: ${output}`);
  const firing = [...output.matchAll(GOT)].flatMap(([, alert, minute, got]) =>
    [...got.matchAll(/severity="(\w+)"/g)].map(([, severity]) => ({
      minute: Number(minute),
      what: `${alert} ${severity}`,
    })),
  );
  return Object.fromEntries(
    named.map(([name, at]) => [name, firing.filter(({ minute }) => minute === at).map(({ what }) => what)]),
  ) as Record<Name, string[]>;
}

function buildTests(scenes: readonly Scene[]): object {
  const alerts = readAlerts();
  return {
    rule_files: [fileURLToPath(RULES_FILE)],
    // Rules with windows of hours do not need an evaluation every minute.
    evaluation_interval: scenes.some(({ expected }) => expected.some(({ minute }) => minute > 120)) ? '5m' : '1m',
    tests: scenes.map(({ series, expected }) => ({
      interval: '1m',
      input_series: series,
      alert_rule_test: expected.map(({ alert, severity, firing, minute }) => ({
        eval_time: `${minute}m`,
        alertname: alert,
        exp_alerts: firing.map((labels) => buildAlert(findRule(alerts, alert, severity), labels)),
      })),
    })),
  };
}

function findRule(alerts: readonly AlertRule[], name: string, severity?: string): AlertRule {
  const rule = alerts.find((each) => each.name === name && (severity === undefined || each.severity === severity));
  if (rule === undefined) throw new Error(`There is no alert ${name} of severity ${severity ?? 'any'}`);
  return rule;
}

function buildAlert({ severity, annotations }: AlertRule, labels: Record<string, string>): object {
  return { exp_labels: { severity, ...labels }, exp_annotations: annotations };
}

function run(words: readonly string[]): Promise<Played> {
  return new Promise((resolve) => {
    execFile(promtool, [...words], (error, stdout, stderr) => {
      resolve({ isGood: error === null, output: stdout + stderr });
    });
  });
}

import { readFileSync } from 'node:fs';

/** Folder of the Prometheus files for operators. */
export const PROMETHEUS = new URL('../../deploy/prometheus/', import.meta.url);
export const RULES_FILE = new URL('alerts.yaml', PROMETHEUS);

export interface AlertRule {
  readonly name: string;
  readonly severity: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const ALERT = /- alert: (\w+)\n([\s\S]*?)(?=\n {6}- |$)/g;

/** Parses the alerts of the file, with one entry per severity. */
export function readAlerts(text = readFileSync(RULES_FILE, 'utf8')): AlertRule[] {
  return [...text.matchAll(ALERT)].map(([, name, rule]) => {
    const valueOf = (key: string): string => {
      const [, value = ''] = new RegExp(`^ +${key}: (.*)$`, 'm').exec(rule) ?? [];
      return value.replace(/^(['"])(.*)\1$/, '$2');
    };
    const annotations = { summary: valueOf('summary'), runbook: valueOf('runbook') };
    return { name, severity: valueOf('severity'), annotations };
  });
}

/** Lists the names of the metrics that the rules use. */
export function readRuleMetrics(text = readFileSync(RULES_FILE, 'utf8')): Set<string> {
  return new Set(text.match(/\b(?:up\b|(?:einvoice|nodejs|process)_[a-z0-9_]+)/g));
}

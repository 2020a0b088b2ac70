import { expect } from 'vitest';

/** One series of a page of metrics. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g;

/** The series of a page in Prometheus's text format. */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label, content]): [string, string] => [label, content]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The value of the one series with these labels and others; 0 when there is none. */
export function findValue(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  expect(found.length, `series of ${name}`).toBeLessThanOrEqual(1);
  return found[0]?.value ?? 0;
}

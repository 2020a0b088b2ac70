import { expect } from 'vitest';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g;

/** Parses Prometheus's text format. */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label, content]): [string, string] => [label, content]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** Returns the value of the only series that has these labels, or 0 if there is none. It may have other labels too. */
export function findValue(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  expect(found.length, `series of ${name}`).toBeLessThanOrEqual(1);
  return found[0]?.value ?? 0;
}

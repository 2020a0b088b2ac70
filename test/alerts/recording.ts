import { parseMetrics } from '../support/metrics.js';
import type { Series } from './promtool.js';
import { readRuleMetrics } from './rules.js';

const MISSING = '_';
/** Staleness marker of Prometheus. */
const GONE = 'stale';

/** Records scrapes of metrics pages as the series that Prometheus would store. */
export class Recording {
  private readonly values = new Map<string, string[]>();
  private readonly names = readRuleMetrics();
  minutes = 0;

  get series(): Series[] {
    return [...this.values].map(([series, values]) => ({ series, values: values.join(' ') }));
  }

  /** Scrapes each instance for one minute. A null URL marks a stopped instance. */
  async scrape(pages: Readonly<Record<string, string | null>>): Promise<void> {
    const seen = new Set<string>();
    for (const [instance, url] of Object.entries(pages)) {
      const text = url === null ? '' : await (await fetch(url)).text();
      const up = { name: 'up', labels: { job: `einvoice-${instance}` }, value: url === null ? 0 : 1 };
      for (const { name, labels, value } of [up, ...parseMetrics(text)].filter((sample) =>
        this.names.has(sample.name),
      )) {
        const pairs = Object.entries({ ...labels, instance }).map(([label, content]) => `${label}="${content}"`);
        const series = `${name}{${pairs.join(',')}}`;
        const values = this.values.get(series) ?? Array.from({ length: this.minutes }, () => MISSING);
        this.values.set(series, [...values, String(value)]);
        seen.add(series);
      }
    }
    for (const [series, values] of this.values) {
      const isGone = values.at(-1) === MISSING || values.at(-1) === GONE;
      if (!seen.has(series)) values.push(isGone ? MISSING : GONE);
    }
    this.minutes += 1;
  }
}

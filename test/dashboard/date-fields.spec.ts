import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const NATIVE = /type=(?:\{\s*)?["'](?:date|datetime-local|month|week|time)["']/;

describe('dashboard pages', () => {
  it('use the custom date field instead of the browser’s', () => {
    const files = readdirSync('dashboard/src', { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.tsx')).map((file) => `dashboard/src/${file}`);
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter((source) => NATIVE.test(readFileSync(source, 'utf8')))).toEqual([]);
  });
});

import { createRequire } from 'node:module';
import type * as recheck from 'recheck';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMPOSED_PATTERNS, DOUBTED_PATTERNS } from './doubted-patterns.js';
import { listPatterns, listScriptPatterns, listSqlPatterns, type SourcePattern } from './source-patterns.js';

// A pattern that takes more than linear time on a text of a client blocks the process for every organisation
// (docs/security.md#long-texts).

// A seed and fewer attempts than by default: the verdict must be the same in each run, and within a minute.
const PARAMETERS: Parameters<typeof recheck.checkSync>[2] = {
  randomSeed: 1,
  timeout: 60_000,
  incubationLimit: 4_000,
  seedingLimit: 300,
  maxIteration: 3,
  maxInitialGenerationSize: 100,
  maxGenerationSize: 40,
  crossoverSize: 10,
  mutationSize: 10,
};
const TIMEOUT_MS = 600_000;
/** "At most quadratic on input that was first cut to 300 characters." */
const CUT_CHARACTERS_MAX = 300;

/** The checker without its native program: it runs in this thread, and anywhere. */
function loadChecker(): typeof recheck {
  vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure');
  onTestFinished(() => void vi.unstubAllEnvs());
  return createRequire(import.meta.url)('recheck') as typeof recheck;
}

function toKey({ file, text }: SourcePattern): string {
  return `${file} ${text}`;
}

function listDoubted(patterns: readonly SourcePattern[]): string[] {
  const { checkSync } = loadChecker();
  const verdicts = new Map<string, boolean>();
  const isSafe = ({ text, parsed }: SourcePattern): boolean => {
    if (parsed === null) return true;
    const known = verdicts.get(text) ?? checkSync(parsed.source, parsed.flags, PARAMETERS).status === 'safe';
    verdicts.set(text, known);
    return known;
  };
  return [...new Set(patterns.filter((pattern) => !isSafe(pattern)).map(toKey))];
}

describe('the patterns of src/ and simulator/', { timeout: TIMEOUT_MS }, () => {
  const patterns = listPatterns();

  it('are found in scripts, statements and SQL functions', () => {
    expect(patterns.length).toBeGreaterThan(300);
    const files = new Set(patterns.map(({ file }) => file));
    expect([...files]).toEqual(
      expect.arrayContaining(['src/http/prefer.ts', 'simulator/ubl.ts', 'src/database/functions/audit_credits.sql']),
    );
  });

  it('are linear by recheck, or listed with the reason why they are safe', () => {
    expect(listDoubted(patterns).filter((pattern) => !(pattern in DOUBTED_PATTERNS))).toEqual([]);
  });

  it('are in the list only while they are in the sources', () => {
    expect(
      Object.keys(DOUBTED_PATTERNS).filter((pattern) => !patterns.some((each) => toKey(each) === pattern)),
    ).toEqual([]);
  });

  it('are listed with the reason why they are safe when they are composed at run time', () => {
    const composed = new Set(patterns.filter(({ parsed }) => parsed === null).map(toKey));
    expect([...composed].toSorted()).toEqual(Object.keys(COMPOSED_PATTERNS).toSorted());
  });

  it('are applied to at most 300 characters when they are not linear', () => {
    for (const [pattern, safety] of Object.entries({ ...DOUBTED_PATTERNS, ...COMPOSED_PATTERNS })) {
      if ('charactersMax' in safety) expect(safety.charactersMax, pattern).toBeLessThanOrEqual(CUT_CHARACTERS_MAX);
    }
  });
});

describe('a pattern', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['a literal', 'const a = /^(a+)+$/u;', '/^(a+)+$/u'],
    ['a literal of a decorator', '@Matches(/x+$/) class A {}', '/x+$/'],
    ['a constructor', "new RegExp('^x+$', 'i')", '/^x+$/i'],
    ['a call of the constructor', "RegExp('^x+$')", '/^x+$/'],
    ['a search for a text', "text.match('x+$')", '/x+$/'],
    ['an operator of a statement', "query(`SELECT 1 FROM ${table} WHERE a !~* '^x''+$'`)", "SQL '^x''+$'"],
    ['a function of a statement', "const a = `regexp_replace(f(a, b), 'x+$', 'y')`", "SQL 'x+$'"],
    ['a function within another', "const a = `regexp_replace(regexp_match(a, 'x'), 'y', '')`", "SQL 'x'"],
    ['a composed one', 'new RegExp(`^${a}$`)', '`^${a}$`'],
  ])('is found in %s', (_, script, text) => {
    expect(listScriptPatterns('a.ts', script).map((found) => found.text)).toContain(text);
  });

  it('is found in an SQL function', () => {
    expect(listSqlPatterns('a.sql', "SELECT a ~ '^x+$'").map(({ parsed }) => parsed?.source)).toEqual(['^x+$']);
  });

  it.each(['^(.+?)\\s*[([](.+?)[)\\]]$', '^(.+?)\\1+$', '^(a|a)*$', '\\s*;\\s*', 'x+$'])(
    'that takes more than linear time is doubted: %s',
    (source) => {
      expect(listDoubted([{ file: 'a.ts', text: source, parsed: { source, flags: '' } }])).toHaveLength(1);
    },
  );
});

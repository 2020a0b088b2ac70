import { createRequire } from 'node:module';
import type * as recheck from 'recheck';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMPOSED_PATTERNS, DOUBTED_PATTERNS } from './doubted-patterns.js';
import { listPatterns, listScriptPatterns, listSqlPatterns, type SourcePattern } from './source-patterns.js';

// A superlinear pattern on a client's text blocks the process for every organisation (docs/security.md#long-texts).

// A fixed seed and fewer attempts make the verdict reproducible within a minute.
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
/** The limit of input for patterns with quadratic time. */
const CUT_CHARACTERS_MAX = 300;

/** Loads the checker without its native program, so that it runs on every platform. */
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

describe('search for regular expressions in src/ and simulator/', { timeout: TIMEOUT_MS }, () => {
  const patterns = listPatterns();

  it('finds patterns in scripts, statements and SQL functions', () => {
    expect(patterns.length).toBeGreaterThan(300);
    const files = new Set(patterns.map(({ file }) => file));
    expect([...files]).toEqual(
      expect.arrayContaining([
        'src/http/request-headers.ts',
        'simulator/ubl.ts',
        'src/database/functions/audit_credits.sql',
      ]),
    );
  });

  it('finds only patterns that recheck proves linear or the list explains', () => {
    expect(listDoubted(patterns).filter((pattern) => !(pattern in DOUBTED_PATTERNS))).toEqual([]);
  });

  it('finds every listed pattern in the sources', () => {
    expect(
      Object.keys(DOUBTED_PATTERNS).filter((pattern) => !patterns.some((each) => toKey(each) === pattern)),
    ).toEqual([]);
  });

  it('requires an explanation of every pattern that is composed at run time', () => {
    const composed = new Set(patterns.filter(({ parsed }) => parsed === null).map(toKey));
    expect([...composed].toSorted()).toEqual(Object.keys(COMPOSED_PATTERNS).toSorted());
  });

  it('finds that superlinear patterns match at most 300 characters', () => {
    for (const [pattern, safety] of Object.entries({ ...DOUBTED_PATTERNS, ...COMPOSED_PATTERNS })) {
      if ('charactersMax' in safety) expect(safety.charactersMax, pattern).toBeLessThanOrEqual(CUT_CHARACTERS_MAX);
    }
  });
});

describe('pattern search', { timeout: TIMEOUT_MS }, () => {
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
  ])('finds a pattern in %s', (_, script, text) => {
    expect(listScriptPatterns('a.ts', script).map((found) => found.text)).toContain(text);
  });

  it('finds a pattern in an SQL function', () => {
    expect(listSqlPatterns('a.sql', "SELECT a ~ '^x+$'").map(({ parsed }) => parsed?.source)).toEqual(['^x+$']);
  });

  it.each(['^(.+?)\\s*[([](.+?)[)\\]]$', '^(.+?)\\1+$', '^(a|a)*$', '\\s*;\\s*', 'x+$'])(
    'doubts a superlinear pattern: %s',
    (source) => {
      expect(listDoubted([{ file: 'a.ts', text: source, parsed: { source, flags: '' } }])).toHaveLength(1);
    },
  );
});

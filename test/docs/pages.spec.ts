import { existsSync } from 'node:fs';
import path from 'node:path';
import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { BENCHMARKS } from '../../bench/options.js';
import { CreditsCommands } from '../../src/cli/credits.commands.js';
import { EventsCommands } from '../../src/cli/events.commands.js';
import { EvidenceCommands } from '../../src/cli/evidence.commands.js';
import { KeyCommands } from '../../src/cli/key.commands.js';
import { QueueCommands } from '../../src/cli/queue.commands.js';
import { RecoverCommands } from '../../src/cli/recover.commands.js';
import { TenantCommands } from '../../src/cli/tenant.commands.js';
import { UserCommands } from '../../src/cli/user.commands.js';
import { DashboardModule } from '../../src/dashboard-api/dashboard.module.js';
import { DispatcherModule } from '../../src/processes/dispatcher.module.js';
import { SUBMIT_RULE_IDS, SUBMIT_WARNING_IDS } from '../../src/submission/submit-body.js';
import { listLoops } from '../support/loops.js';
import { PAGES, anchorsIn, codeIn, filesUnder, readText, sectionOf, tableRows } from './pages.js';

// Checks that pages mention only existing files, names and commands, and limits their length.

// Combined limit for docs/, site/, README.md and CONTRIBUTING.md.
const WORDS_MAX = 30_000;
const WORDS_MAX_BY_PAGE: Record<string, number> = {
  'dashboard/README.md': 350,
  'clients/typescript/README.md': 600,
  'deploy/README.md': 1_000,
};
// Limit for the guide, including its snippets.
const GUIDE_WORDS_MAX = 4_500;
const DECISIONS_MAX = 30;
const DECISION_WORDS_MAX = 250;
const CHANGELOG_LINES_MAX = 60;
const README_LINES_MAX = 250;
const README_WORDS_MAX = 1_600;

const OTHER_PAGES = ['CHANGELOG.md', 'src/documents/code-lists/README.md', 'test/support/certificates/README.md'];
const SOURCES = [
  'src',
  'test',
  'simulator',
  'standalone',
  'bench',
  'dashboard/src',
  'scripts',
  'clients/typescript/src',
  'sandbox-suite',
  'site',
];
const sourceFiles = [
  ...SOURCES.flatMap((folder) => filesUnder(folder, /\.(?:tsx?|mjs|json|sql)$/)),
  '.env.example',
  '.ci/run',
  'deploy/compose.yaml',
  'deploy/.env.example',
  'deploy/postgres/create-roles.sql',
  'package.json',
  'openapi.json',
  'dashboard/openapi.json',
];
const sources = sourceFiles
  .filter((file) => !file.startsWith('test/docs/'))
  .map((file) => ({ file, text: readText(file) }));

// Decision records are excluded, because they also mention rejected or removed names.
const PAGES_OF_TODAY = PAGES.filter((page) => !page.startsWith('docs/decisions/'));

function isBroken(from: string, file: string, anchor: string | undefined): boolean {
  const target = file === '' ? from : path.posix.join(path.posix.dirname(from), file);
  if (!existsSync(new URL(`../../${target}`, import.meta.url))) return true;
  return anchor !== undefined && !anchorsIn(readText(target)).includes(anchor);
}

describe('links', () => {
  it.each([...PAGES, ...OTHER_PAGES])('from %s lead only to existing files and headings', (page) => {
    const links = [
      ...readText(page).matchAll(/\]\((?!https?:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g),
      ...readText(page).matchAll(/<img src="([^"#]+)"/g),
    ];
    const broken = links.filter(([, file = '', anchor]) => isBroken(page, file, anchor));
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('in code lead only to existing pages and headings', () => {
    const cited = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w./-])(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(([link, page = '', anchor]) => ({
        link: `${file}: ${link}`,
        isDead: isBroken('', page, anchor),
      })),
    );
    expect(cited.length).toBeGreaterThan(300);
    expect(cited.filter(({ isDead }) => isDead).map(({ link }) => link)).toEqual([]);
  });

  it('in code use headings instead of rule numbers', () => {
    const code = sources.filter(({ file }) => /\.(?:tsx?|mjs)$/.test(file));
    const numbered = code.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w'"])D[1-9][0-9]?(?![\w'"])/g)].map(([number]) => `${file}: ${number}`),
    );
    expect(code.length).toBeGreaterThan(300);
    expect(numbered).toEqual([]);
  });
});

describe('documentation', () => {
  const scripts = Object.keys((JSON.parse(readText('package.json')) as { scripts: object }).scripts);
  const settings = [...readText('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  // Environment variables and constants.
  const constants = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(/[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+/g)].map(([name]) => name)),
  );
  const words = new Set([
    ...sources.flatMap(({ text }) => text.match(/[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+/g) ?? []),
    // Rule names consist of a field name and a problem.
    ...SUBMIT_RULE_IDS,
  ]);

  it.each(PAGES_OF_TODAY)('mentions only existing npm scripts in %s', (page) => {
    const named = [...readText(page).matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g)].map(([, script]) => script);
    expect(named.filter((script) => !scripts.includes(script))).toEqual([]);
  });

  it.each(PAGES_OF_TODAY)('mentions only existing files and folders in %s', (page) => {
    const named = codeIn(readText(page)).filter((code) =>
      /^(?:src|test|docs|dashboard|simulator|standalone|bench|scripts|\.ci)\/[\w./-]*$/.test(code),
    );
    // Paths in dashboard/README.md are relative to its folder.
    const missing = named.filter((file) => isBroken('', file, undefined) && isBroken(page, file, undefined));
    expect(missing).toEqual([]);
  });

  it.each(PAGES_OF_TODAY)('mentions only existing settings and constants in %s', (page) => {
    const text = codeIn(readText(page)).join('\n');
    const shellVariables = new Set([...text.matchAll(/(?:\$\{?|^export )([A-Z_]+)/gm)].map(([, name]) => name));
    const named = [...text.matchAll(/(?<![\w…*-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => name);
    expect(named.filter((name) => !shellVariables.has(name) && !constants.has(name))).toEqual([]);
    const authority = named.filter((name) => /^(?:AUTHORITY|DATABASE|INTERMEDIARY|DISPATCH)_/.test(name));
    expect(authority.filter((name) => !settings.includes(name))).toEqual([]);
  });

  it.each(PAGES_OF_TODAY)('mentions only existing codes, rules and database objects in %s', (page) => {
    const named = codeIn(readText(page)).flatMap((code) => code.match(/^[a-z]+[a-z0-9]*(?:_[a-z0-9]+)+$/) ?? []);
    // Programs and views of PostgreSQL.
    const own = named.filter((name) => !name.startsWith('pg_'));
    expect([...new Set(own)].filter((name) => !words.has(name))).toEqual([]);
  });

  interface CommandMeta {
    readonly name: string;
    readonly subCommands?: readonly object[];
  }
  const metaOf = (key: string, command: object): CommandMeta => Reflect.getMetadata(key, command) as CommandMeta;
  const commands = [
    TenantCommands,
    KeyCommands,
    CreditsCommands,
    QueueCommands,
    RecoverCommands,
    EventsCommands,
    UserCommands,
    EvidenceCommands,
  ].flatMap((group) => {
    const { name, subCommands = [] } = metaOf('CommandBuilder:Command:Meta', group);
    return subCommands.map((command) => `${name} ${metaOf('CommandBuilder:Subcommand:Meta', command).name}`);
  });
  const groups = [...new Set(commands.map((command) => command.split(' ')[0]))].join('|');
  const commandPattern = new RegExp(`^(?:.*npm run (?:--silent )?cli -- )?(${groups}) ([a-z|-]+)(?= |$)`);

  function commandsIn(page: string): string[] {
    return codeIn(readText(page)).flatMap((code) => {
      const [, group, names = ''] = commandPattern.exec(code) ?? [];
      return group === undefined ? [] : names.split('|').map((name) => `${group} ${name}`);
    });
  }

  it.each(PAGES_OF_TODAY)('mentions only existing operator commands in %s', (page) => {
    expect(commandsIn(page).filter((command) => !commands.includes(command))).toEqual([]);
  });

  it('lists every operator command in rules.md', () => {
    expect(commands.length).toBeGreaterThan(15);
    expect(commandsIn('docs/rules.md').toSorted()).toEqual(expect.arrayContaining(commands.toSorted()));
  });

  it('lists exactly the submit warnings in rules.md', () => {
    const section = sectionOf(readText('docs/rules.md'), '### Warnings');
    const listed = [...section.matchAll(/^- (`.*?`):/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([a-z0-9_]+)`/g)].map(([, warning]) => warning),
    );
    expect(listed.toSorted()).toEqual([...SUBMIT_WARNING_IDS].toSorted());
  });

  it('explains exactly the waiting.code values in errors.md', () => {
    const { components } = JSON.parse(readText('openapi.json')) as {
      components: { schemas: { WaitingCode: { enum: string[] } } };
    };
    const section = sectionOf(readText('docs/errors.md'), '## Why a document waits');
    const explained = [...section.matchAll(/^- `([a-z_]+)`:/gm)].map(([, code]) => code);
    expect(explained).toEqual(components.schemas.WaitingCode.enum);
  });

  it('lists every test suite in CONTRIBUTING.md', () => {
    const listed = tableRows(readText('CONTRIBUTING.md'), 'Suite', 'Time').flatMap(([suite = '']) =>
      [...suite.matchAll(/`npm (?:run )?([a-z:-]+)/g)].map(([, name]) => name),
    );
    const partsOfCheck = [...readText('package.json').matchAll(/npm run (check:[a-z-]+)/g)].map(([, name]) => name);
    const suites = scripts.filter((name) => /^(?:check|test|chaos|bench)/.test(name) && !partsOfCheck.includes(name));
    const ofCi = [...readText('.ci/run').matchAll(/\bstep npm (?:run )?(?!ci\b)([a-z:-]+)/gm)].map(([, name]) => name);
    expect(ofCi.length).toBeGreaterThan(5);
    expect([...new Set(listed)].toSorted()).toEqual([...new Set([...suites, ...ofCi])].toSorted());
  });

  it('lists every benchmark in performance.md', () => {
    const page = readText('docs/performance.md');
    const names = [...sectionOf(page, '## Current ratios').matchAll(/^- `([a-z-]+)`/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(BENCHMARKS.toSorted());
  });

  it('lists every setting with its default in operations.md', () => {
    const lines = readText('docs/operations.md').matchAll(/^- ((?:`[A-Z_]+`(?:, )?)+)(?: ?\(`([^`]*)`\))?/gm);
    const documented = new Map(
      [...lines].flatMap(([, names = '', value]) =>
        [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]): [string, string | undefined] => [name, value]),
      ),
    );
    const defaults = [...readText('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)];
    expect([...documented.keys()].sort()).toEqual(defaults.map(([, name]) => name).sort());
    for (const [, name, value] of defaults) {
      // URLs and secrets have no default.
      const shown = documented.get(name);
      if (shown !== undefined) expect(shown, name).toBe(value);
    }
  });

  it('mentions only existing metrics in monitoring.md', () => {
    const lines = readText('docs/monitoring.md').match(/^- `einvoice_[^:]*/gm) ?? [];
    const named = lines.flatMap((line) => line.match(/einvoice_[a-z_]+/g) ?? []);
    const made = [...readText('src/common/metrics.ts').matchAll(/name: '([a-z_]+)'/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(made.sort());
  });

  it('lists every src/ folder and loop interval in architecture.md', () => {
    const page = readText('docs/architecture.md');
    const files = filesUnder('src', /\.ts$/);
    const folders = new Set(files.map((file) => file.split('/')[1]));
    expect([...folders].filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([]);
    const loops = [...listLoops(DispatcherModule), ...listLoops(DashboardModule)].map(
      ({ name, intervalMs }) => `\`${name}\`, every ${intervalMs / 1_000} s:`,
    );
    expect(loops.length).toBeGreaterThan(5);
    expect(loops.filter((loop) => !page.includes(loop))).toEqual([]);
  });

  it('quotes only existing log lines in monitoring.md', () => {
    const section = sectionOf(readText('docs/monitoring.md'), '## Metrics');
    const quoted = [...section.matchAll(/^- `([^`]* [^`]*)`/gm)].map(([, line = '']) => line);
    expect(quoted.length).toBeGreaterThan(3);
    expect(quoted.filter((line) => !sources.some(({ text }) => text.includes(line)))).toEqual([]);
  });
});

it('architecture.md traces a submit through at most eight connected files', () => {
  const section = sectionOf(readText('docs/architecture.md'), '## A submit');
  const spine = [...section.matchAll(/^\d\. \[[^\]]+\]\(\.\.\/(src\/[^)]+)\)/gm)].map(([, file = '']) => file);
  expect(spine.length).toBeGreaterThan(5);
  expect(spine.length).toBeLessThanOrEqual(8);
  const entries = ['src/processes/api-application.ts', 'src/submission/submission.module.ts'];
  const unnamed = spine.filter((file, index) => {
    const name = path.basename(file, path.extname(file));
    return ![...entries, ...spine.slice(0, index)].some((earlier) => readText(earlier).includes(name));
  });
  expect(unnamed).toEqual([]);
});

describe('page length', () => {
  // Counts like `wc -w`, which includes code and the markup of lists and tables.
  const wordsOf = (page: string): number => readText(page).match(/\S+/g)?.length ?? 0;

  it(`is at most ${README_LINES_MAX} lines and ${README_WORDS_MAX} words in README.md`, () => {
    expect(readText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
    expect(wordsOf('README.md')).toBeLessThanOrEqual(README_WORDS_MAX);
  });

  it(`is one entry and at most ${CHANGELOG_LINES_MAX} lines in CHANGELOG.md`, () => {
    const changelog = readText('CHANGELOG.md');
    expect(changelog.match(/^## .*$/gm)).toEqual(['## [Unreleased]']);
    expect(changelog.trimEnd().split('\n').length).toBeLessThanOrEqual(CHANGELOG_LINES_MAX);
  });

  const isDecision = (page: string): boolean => page.startsWith('docs/decisions/');
  const isGuide = (page: string): boolean => page.startsWith('site/pages/');

  it(`is limited for the guide to ${GUIDE_WORDS_MAX.toLocaleString('en')} words`, () => {
    const words = PAGES.filter(isGuide).reduce((sum, page) => sum + wordsOf(page), 0);
    expect(words).toBeGreaterThan(1_000);
    expect(words).toBeLessThanOrEqual(GUIDE_WORDS_MAX);
  });

  it(`is limited for all documentation together to ${WORDS_MAX.toLocaleString('en')} words`, () => {
    const pages = PAGES.filter((page) => /^(?:docs\/|site\/|README\.md$|CONTRIBUTING\.md$)/.test(page));
    const words = pages.reduce((sum, page) => sum + wordsOf(page), 0);
    expect(words).toBeLessThanOrEqual(WORDS_MAX);
  });

  it.each(Object.entries(WORDS_MAX_BY_PAGE))('is limited for %s to %d words', (page, wordsMax) => {
    expect(wordsOf(page)).toBeLessThanOrEqual(wordsMax);
  });

  it(`is limited for docs/decisions/ to ${DECISIONS_MAX} pages with ${DECISION_WORDS_MAX} words each`, () => {
    const pages = PAGES.filter(isDecision);
    expect(pages.length).toBeLessThanOrEqual(DECISIONS_MAX);
    expect(pages.filter((page) => wordsOf(page) > DECISION_WORDS_MAX)).toEqual([]);
  });
});

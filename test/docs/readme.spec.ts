import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { createTenant } from '../support/client.js';
import { today } from '../support/documents.js';
import { TestService } from '../support/service.js';

// What the pages promise is tried here: the examples of README.md are run, its tables are compared with the code.

const README = read('README.md');
const run = promisify(execFile);

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

interface Example {
  readonly title: string;
  readonly command: string;
  /** The text of the answer that README.md shows after it. */
  readonly expected: string;
  /** Whether the dispatcher does all its work first: `<!-- settle -->` before the block. */
  readonly isSettledFirst: boolean;
}

const EXAMPLE = /(<!-- settle -->\n\n)?```bash\n([\s\S]*?)```\n+(?:```http\n([\s\S]*?)```)?/g;

/** Every block of curl commands, in the order of the page. */
function examplesIn(page: string): Example[] {
  return [...page.matchAll(EXAMPLE)]
    .filter(([, , command]) => /^curl\b/m.test(command))
    .map(([block, settle, command, expected = '']) => {
      const [line = ''] = expected.split('\n');
      const call = /curl -i "\$BASE_URL([^"?]*)/.exec(command)?.[1] ?? block;
      return { title: `${call}: ${line}`, command, expected, isSettledFirst: settle !== undefined };
    });
}

interface HttpAnswer {
  readonly status: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** An answer as `curl -i` prints it, and as README.md shows it. */
function parseAnswer(text: string): HttpAnswer {
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n\n');
  const [status = '', ...lines] = head.trim().split('\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = rest.join('\n\n').trim();
  return { status, headers, body: body === '' ? null : (JSON.parse(body) as unknown) };
}

/** What README.md shows, as an expectation: `…` is any text, everything else is exact, and no member may be missing. */
function expectationOf(shown: unknown): unknown {
  if (shown === '…') return expect.stringMatching(/./);
  if (Array.isArray(shown)) return shown.map(expectationOf);
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, expectationOf(value)]));
}

const isCurlMissing = ['curl', 'bash'].some((program) => spawnSync(program, ['--version']).error !== undefined);
const isLeftOut = isCurlMissing && process.env.CI === undefined;
if (isLeftOut) process.stderr.write('The examples of README.md are left out: this machine has no curl or no bash\n');

describe('the examples of README.md', () => {
  const examples = examplesIn(README);
  /** What later examples take from earlier answers. */
  const variables: Record<string, string> = {};
  let service: TestService;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'einvoice-readme-'));
    service = await TestService.start();
    const { apiKey } = await createTenant(service, { credits: 1_000 });
    Object.assign(variables, { BASE_URL: service.url, API_KEY: apiKey, TODAY: today() });
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  it('are all of the main uses, each with the answer that it gets', () => {
    expect(examples.map(({ expected }) => expected.split('\n')[0])).toEqual([
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 304 Not Modified',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 202 Accepted',
      'HTTP/1.1 400 Bad Request',
    ]);
  });

  it.skipIf(isLeftOut).each(examples)('$title', async ({ command, expected, isSettledFirst }) => {
    if (isSettledFirst) await service.settle();
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: folder,
      // Neither a proxy nor a .curlrc of the machine may answer in the service's place.
      env: { PATH: process.env.PATH, TMPDIR: folder, HOME: folder, NO_PROXY: '*', ...variables },
    });
    const answer = parseAnswer(stdout);
    const shown = parseAnswer(expected);
    expect(answer.status).toBe(shown.status);
    for (const [name, value] of shown.headers) expect(answer.headers.get(name), name).toEqual(expectationOf(value));
    expect(answer.body).toStrictEqual(expectationOf(shown.body));
    remember(answer);
  });

  function remember({ headers, body }: HttpAnswer): void {
    const { submissionBatchId, documents } = (body ?? {}) as {
      submissionBatchId?: string;
      documents?: { documentId: string }[];
    };
    if (submissionBatchId !== undefined && documents !== undefined) {
      Object.assign(variables, { SUBMISSION_BATCH_ID: submissionBatchId, DOCUMENT_ID: documents[0].documentId });
    }
    const entityTag = headers.get('etag');
    if (entityTag !== undefined) variables.ETAG = entityTag;
  }
});

describe('the pages', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesUnder('docs', '.md')];

  it.each(pages)('%s leads to files and headings that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? page : path.join(path.dirname(page), file);
      return !isThere(target) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('README.md has every error that a client can meet, with its status', () => {
    const listed = tableRows(README, 'Status', 'code').flatMap(([status, codes = '']) =>
      codesIn(codes).map((code) => `${status} ${code}`),
    );
    const answered = Object.entries<{ status: number; operations?: readonly string[] }>(ERROR_CODES)
      .filter(([, { operations }]) => operations?.join() !== 'ready')
      .map(([code, { status }]) => `${status} ${code}`);
    expect(listed.sort()).toEqual(answered.sort());
  });

  it('operations.md has every setting of .env.example, with its default', () => {
    const documented = new Map(
      tableRows(read('docs/operations.md'), 'Setting', 'Default').flatMap(([names = '', value = '']) =>
        [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]): [string, string] => [name, value]),
      ),
    );
    const settings = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)];
    expect([...documented.keys()].sort()).toEqual(settings.map(([, name]) => name).sort());
    for (const [, name, value] of settings) {
      // An address or a secret has no default that the process would take; the page then says what it is.
      const shown = documented.get(name)?.match(/^`(.*)`$/)?.[1];
      if (shown !== undefined) expect(shown, name).toBe(value);
    }
  });

  it('operations.md names metrics that exist', () => {
    const named = tableRows(read('docs/operations.md'), 'Metric', 'Kind').map(([name = '']) =>
      name.replaceAll('`', ''),
    );
    const made = [...read('src/common/metrics.ts').matchAll(/name: '([a-z_]+)'/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(made.sort());
  });
});

/** The cells of the table whose header begins with these columns. */
function tableRows(page: string, ...columns: readonly string[]): string[][] {
  const cellsOf = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const lines = page.split('\n');
  const header = lines.findIndex((line) => {
    const cells = cellsOf(line).map((cell) => cell.replaceAll('`', ''));
    return columns.every((column, index) => cells[index] === column);
  });
  if (header === -1) throw new Error(`There is no table of ${columns.join(', ')}`);
  const end = lines.findIndex((line, index) => index > header && !line.startsWith('|'));
  return lines.slice(header + 2, end).map(cellsOf);
}

function codesIn(text: string): string[] {
  return [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code]) => code);
}

function filesUnder(folder: string, extension: string): string[] {
  const root = new URL(`../../${folder}`, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => path.posix.join(folder, file))
    .sort();
}

function isThere(file: string): boolean {
  return existsSync(new URL(`../../${file}`, import.meta.url));
}

/** As GitHub makes them from the text. */
function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../support/client.js';
import { today } from '../support/documents.js';
import { GUIDE } from '../../site/build-site.js';
import { TestService } from '../support/service.js';
import { readText } from './pages.js';

// Runs the examples in README.md and the curl snippets in the guide in order.

const PAGES = ['README.md', ...GUIDE.map((name) => `site/pages/${name}.md`)];
const run = promisify(execFile);

interface Example {
  readonly title: string;
  readonly command: string;
  /** Response shown on the page. */
  readonly expected: string;
  /** Whether the dispatcher first processes all documents (`<!-- settle -->` before the block). */
  readonly isSettledFirst: boolean;
}

// The response may follow the same request in other languages.
const EXAMPLE =
  /(<!-- settle -->\n\n)?```bash\n([\s\S]*?)```\n+(?:```(?:ts|python)\n[\s\S]*?```\n+)*(?:```http\n([\s\S]*?)```)?/g;

/** Lists the command blocks of a page. */
function examplesIn(page: string): Example[] {
  return [...page.matchAll(EXAMPLE)].map(([, settle, command, expected = '']) => {
    const [line = ''] = expected.split('\n');
    const [, call = command.split('\n')[0]] = /\$BASE_URL([^"?]*)/.exec(command) ?? [];
    return { title: `${call}: ${line}`, command, expected, isSettledFirst: settle !== undefined };
  });
}

interface HttpResponse {
  readonly status: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** Parses the output of `curl -i`. */
function parseResponse(text: string): HttpResponse {
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

/** Turns a body on the page into an expectation, in which `…` matches any text. */
function expectationOf(shown: unknown): unknown {
  if (shown === '…') return expect.stringMatching(/./);
  if (Array.isArray(shown)) return shown.map(expectationOf);
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, expectationOf(value)]));
}

const isCurlMissing = ['curl', 'bash'].some((program) => spawnSync(program, ['--version']).error !== undefined);
const isLeftOut = isCurlMissing && process.env.CI === undefined;
if (isLeftOut) process.stderr.write('The examples of the pages are left out: this machine has no curl or no bash\n');

describe('examples in README.md and the guide', () => {
  const examples = PAGES.flatMap((page) => examplesIn(readText(page)));
  /** Values from earlier responses for later examples. */
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

  it('cover each main use case', () => {
    expect(examples.map(({ expected }) => expected.split('\n')[0]).filter(Boolean)).toEqual([
      // README.md: submit
      'HTTP/1.1 200 OK',
      // the guide: submit, replay, poll, error, dry run, credit note, cancel, TIN, month, simulated outcome
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 304 Not Modified',
      'HTTP/1.1 400 Bad Request',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 202 Accepted',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
    ]);
  });

  it.skipIf(isLeftOut).each(examples)('$title', async ({ command, expected, isSettledFirst }) => {
    if (isSettledFirst) await service.settle();
    // Passes exported variables to the next examples.
    const script = `if [ -f exported ]; then . ./exported; fi\n${command}\nexport -p > exported`;
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      // Ignores the machine's proxies and .curlrc.
      env: { PATH: process.env.PATH, TMPDIR: folder, HOME: folder, NO_PROXY: '*', ...variables },
    });
    if (expected === '') return;
    const answer = parseResponse(stdout);
    const shown = parseResponse(expected);
    expect(answer.status).toBe(shown.status);
    for (const [name, value] of shown.headers) expect(answer.headers.get(name), name).toEqual(expectationOf(value));
    expect(answer.body).toStrictEqual(expectationOf(shown.body));
    remember(answer);
  });

  function remember({ headers, body }: HttpResponse): void {
    const { submissionBatchId, documents } = (body ?? {}) as {
      submissionBatchId?: string;
      documents?: { documentId: string }[];
    };
    // The guide uses the ids of the first request throughout.
    if (submissionBatchId !== undefined && documents !== undefined) {
      variables.SUBMISSION_BATCH_ID ??= submissionBatchId;
      variables.DOCUMENT_ID ??= documents[0].documentId;
    }
    const entityTag = headers.get('etag');
    if (entityTag !== undefined) variables.ETAG = entityTag;
  }
});

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createZip, type ZipEntry } from '../../src/paper/zip.js';
import { runOffline } from '../../src/processes/cli.js';
import { accept, cancel, createTenant, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { organisation, type Problem, readAudit } from '../support/people.js';
import { readPages } from '../support/pdf.js';
import { readZip } from '../support/zip.js';

const service = await startFileService();
const INVALID = 'SIM-INVALID-CF358-78';
const folder = mkdtempSync(path.join(tmpdir(), 'evidence-'));
afterAll(() => rmSync(folder, { recursive: true }));

let tenant: TestTenant;
let viewer: Browser;
let basePath: string;
let ids: Map<string, string>;

beforeAll(async () => {
  tenant = await createTenant(service);
  viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
  const numbers = ['A/1', 'A_1', 'a/1', INVALID];
  await accept(
    service,
    tenant,
    numbers.map((referenceId) => invoice({ referenceId })),
  );
  await service.settle();
  const { body } = await viewer.get<{ items: { transactionId: string; referenceId: string }[] }>(
    `${basePath}/transactions`,
  );
  ids = new Map(body.items.map(({ referenceId, transactionId }) => [referenceId, transactionId]));
  expect(ids.size).toBe(numbers.length);
  // Loading the fonts for the first PDF is slow.
  await viewer.download(`${basePath}/transactions-pdf.zip?reference=A_1`);
});

async function download(address: string): Promise<Map<string, Buffer>> {
  const { status, headers, bytes } = await viewer.download(`${basePath}/${address}`);
  expect([status, headers.get('content-type')], bytes.toString()).toEqual([200, 'application/zip']);
  return readZip(bytes);
}

describe('PDF archive', () => {
  it('contains a uniquely named PDF for each valid document', async () => {
    const files = await download('transactions-pdf.zip');
    const names = [...files.keys()].map((name) => name.toLowerCase()).toSorted();
    expect(names).toEqual(['invoice-a_1-2.pdf', 'invoice-a_1-3.pdf', 'invoice-a_1.pdf']);
    const texts = await Promise.all([...files.values()].map(async (pdf) => (await readPages(pdf)).join('')));
    expect(texts.flatMap((text) => /e-Invoice (\S+)/.exec(text)?.[1] ?? []).toSorted()).toEqual(['A/1', 'A_1', 'a/1']);
  });

  it('applies the filters of the list', async () => {
    expect([...(await download('transactions-pdf.zip?reference=A_1')).keys()]).toEqual(['invoice-A_1.pdf']);
    const { status, body } = await viewer.get<Problem>(
      `${basePath}/transactions-pdf.zip?from=2020-01-01&to=2020-01-31`,
    );
    expect([status, body.code]).toEqual([404, 'not_found_here']);
    expect((await viewer.get(`${basePath}/transactions-pdf.zip?status=Invalid`)).status).toBe(404);
  });

  it('contains the selected documents and records them in the audit log', async () => {
    const wanted = [ids.get('A/1'), ids.get('A_1'), ids.get(INVALID)].join(',');
    const names = [...(await download(`transactions-pdf.zip?transactionIds=${wanted}`)).keys()];
    expect(names.toSorted()).toEqual(['invoice-A_1-2.pdf', 'invoice-A_1.pdf']);
    const folders = [...(await download(`transactions-evidence.zip?transactionIds=${wanted}`)).keys()];
    expect(new Set(folders.flatMap((name) => /^(.*)\//.exec(name)?.[1] ?? [])).size).toBe(3);
    const taken = (await readAudit(service, tenant.tenantId)).filter(({ action }) => action === 'file.downloaded');
    expect(taken.at(-1)).toMatchObject({ details: { filters: { transactionIds: wanted } } });
  });

  it('is byte-identical on each download', async () => {
    const [first, second] = [
      await viewer.download(`${basePath}/transactions-pdf.zip`),
      await viewer.download(`${basePath}/transactions-pdf.zip`),
    ];
    expect(second.bytes.equals(first.bytes)).toBe(true);
  });

  it('is not available to members of another organisation', async () => {
    const neighbour = await organisation(service);
    for (const file of ['transactions-pdf.zip', 'transactions-evidence.zip']) {
      expect((await neighbour.browser.get(`${basePath}/${file}`)).status).toBe(404);
      expect((await neighbour.browser.get(`${neighbour.path}/sandbox/${file}`)).status).toBe(404);
      const named = `${file}?transactionIds=${ids.get('A_1')}`;
      expect((await neighbour.browser.get(`${neighbour.path}/sandbox/${named}`)).status).toBe(404);
    }
  });
});

describe('evidence archive', () => {
  it('contains all stored files with their hashes', async () => {
    const files = await download(`transactions/${ids.get('A_1')}/evidence.zip`);
    const at = 'invoice-A_1-attempt-1';
    const names = ['authority.json', 'document.json', 'invoice-A_1.pdf', 'request.json', 'timeline.json'];
    expect([...files.keys()].toSorted()).toEqual(
      ['README.txt', 'manifest-sha256.txt', ...names.map((name) => `${at}/${name}`)].toSorted(),
    );
    const [stored] = await service.owner.query<{ bytes: Buffer; uuid: string; ids: string[] }[]>(
      `SELECT a.bytes, t.authority_uuid AS uuid,
              ARRAY(SELECT correlation_id FROM status_event e WHERE e.transaction_id = t.id ORDER BY version) AS ids
         FROM document_transaction t JOIN authority_document a ON a.transaction_id = t.id WHERE t.id = $1`,
      [ids.get('A_1')],
    );
    expect(files.get(`${at}/document.json`)?.equals(stored.bytes)).toBe(true);
    const read = (name: string): unknown => JSON.parse(String(files.get(`${at}/${name}`)));
    expect(read('request.json')).toMatchObject({ documents: [{ referenceId: 'A_1' }] });
    const authority = read('authority.json') as { statusChanges: { correlationId: string | null }[] };
    expect(authority).toMatchObject({ uuid: stored.uuid, status: 'Valid', submission: { sends: 1 }, errors: [] });
    expect(authority.statusChanges.map(({ correlationId }) => correlationId)).toEqual(stored.ids);
    expect(stored.ids.filter(Boolean).length).toBeGreaterThan(1);
    expect((read('timeline.json') as { text: string }[]).at(-1)?.text).toBe('Found valid by the tax authority');
    const lines = [...files]
      .filter(([name]) => name !== 'manifest-sha256.txt')
      .map(([name, content]) => {
        return `${createHash('sha256').update(content).digest('hex')}  ${name}`;
      });
    expect(String(files.get('manifest-sha256.txt')).trim().split('\n').toSorted()).toEqual(lines.toSorted());
  });

  it('contains the errors of an invalid document', async () => {
    const files = await download(`transactions/${ids.get(INVALID)}/evidence.zip`);
    expect([...files.keys()].filter((name) => name.endsWith('.pdf'))).toEqual([]);
    const authority = [...files].find(([name]) => name.endsWith('authority.json'));
    expect(JSON.parse(String(authority?.[1]))).toMatchObject({
      status: 'Invalid',
      errors: [{ code: 'buyer_tin_invalid' }],
    });
  });

  it('contains the cancellation of a cancelled document', async () => {
    const own = await createTenant(service);
    const browser = await signUpInto(service, own.tenantId, 'viewer');
    const batch = await accept(service, own, [invoice({ referenceId: 'GONE-1' })]);
    await service.settle();
    const { documentId } = batch.documents[0];
    const cancelled = await cancel(service, own, { documentId, cancellationReason: 'Wrong buyer' });
    expect(cancelled.status, cancelled.text).toBe(202);
    await service.settle();
    const { bytes } = await browser.download(`/organisations/${own.tenantId}/sandbox/transactions-evidence.zip`);
    const files = await readZip(bytes);
    const at = 'invoice-GONE-1-attempt-1';
    expect(JSON.parse(String(files.get(`${at}/authority.json`)))).toMatchObject({
      status: 'Cancelled',
      cancellations: [{ status: 'Completed', reason: 'Wrong buyer' }],
    });
    const [page] = await readPages(files.get(`${at}/invoice-GONE-1.pdf`) ?? Buffer.of());
    expect(page).toContain('CANCELLED on');
  });

  it('creates one audit entry with the filters', async () => {
    await download('transactions-evidence.zip?type=invoice');
    const [entry] = (await readAudit(service, tenant.tenantId))
      .filter(({ subject }) => subject.endsWith('-evidence.zip'))
      .toReversed();
    expect(entry).toMatchObject({ action: 'file.downloaded', details: { filters: { type: 'invoice' } } });
  });
});

describe('"evidence verify"', () => {
  /** Runs the command on a file and returns its exit code and output. */
  async function verify(name: string, bytes: Buffer): Promise<{ exitCode: number; out: string; error: string }> {
    const file = path.join(folder, name);
    writeFileSync(file, bytes);
    const said = { out: '', error: '' };
    const output = { out: (text: string) => (said.out += text), error: (text: string) => (said.error += text) };
    return { exitCode: await runOffline(['evidence', 'verify', file], output), ...said };
  }

  const rezip = (files: ReadonlyMap<string, Buffer>): Promise<Buffer> =>
    // oxlint-disable-next-line require-await
    buffer(
      createZip(
        (async function* () {
          for (const [at, content] of files) yield { path: at, content } satisfies ZipEntry;
        })(),
      ),
    );

  let bytes: Buffer;
  let files: Map<string, Buffer>;
  beforeAll(async () => {
    ({ bytes } = await viewer.download(`${basePath}/transactions-evidence.zip`));
    files = await readZip(bytes);
  });

  it('exits with 0 if every file matches the manifest', async () => {
    const { exitCode, out, error } = await verify('whole.zip', bytes);
    expect([exitCode, error]).toEqual([0, '']);
    expect(out).toContain(`all ${files.size - 1} files match the manifest`);
    expect((await verify('again.zip', await rezip(files))).exitCode).toBe(0);
  });

  it('exits with 1 and names the file with a changed byte', async () => {
    const name = [...files.keys()].find((each) => each.endsWith('/document.json')) ?? '';
    const changed = Buffer.from(files.get(name) ?? '');
    changed[10] ^= 1;
    const ended = await verify('changed.zip', await rezip(new Map([...files, [name, changed]])));
    expect(ended.exitCode).toBe(1);
    expect(ended.out).toContain(`${name}  has changed`);
    expect(ended.error).toContain('is not intact: 1 of its files');
  });

  it('exits with 1 if any byte of a ZIP entry changes', async () => {
    for (const at of [0.2, 0.5, 0.8]) {
      const changed = Buffer.from(bytes);
      changed[Math.floor(bytes.length * at)] ^= 1;
      expect((await verify('flipped.zip', changed)).exitCode, String(at)).toBe(1);
    }
  });

  it('exits with 1 and names missing and additional files', async () => {
    const other = new Map(files);
    other.delete('README.txt');
    other.set('invoice-A_1-attempt-1/added.json', Buffer.from('{}'));
    const { exitCode, out } = await verify('other.zip', await rezip(other));
    expect(exitCode).toBe(1);
    expect(out).toMatch(/README\.txt +is missing/);
    expect(out).toMatch(/added\.json +is not in the manifest/);
  });

  it('exits with 1 for a file without a valid ZIP structure or manifest', async () => {
    const none = new Map(files);
    none.delete('manifest-sha256.txt');
    expect((await verify('none.zip', await rezip(none))).out).toContain('this is not a complete evidence ZIP');
    expect(await verify('text.zip', Buffer.from('hello'))).toMatchObject({ exitCode: 1, out: '' });
  });
});

describe('ZIP stream', () => {
  it('creates each file only when the client is ready to read it', async () => {
    let made = 0;
    const content = Buffer.alloc(256 * 1_024, 'x');
    // oxlint-disable-next-line require-await
    const zip = createZip(
      (async function* () {
        for (; made < 100; made += 1) yield { path: `${made}.bin`, content, isCompressed: true };
      })(),
    );
    const reader = zip[Symbol.asyncIterator]();
    await reader.next();
    expect(made).toBeLessThan(3);
    let bytes = 0;
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      bytes += (next.value as Buffer).length;
      expect(made * content.length).toBeLessThan(bytes + 3 * content.length);
    }
    expect(made).toBe(100);
  });

  it('aborts if a file cannot be created', async () => {
    // oxlint-disable-next-line require-await
    const zip = createZip(
      (async function* () {
        yield { path: 'a', content: Buffer.from('a') };
        throw new Error('No more');
      })(),
    );
    await expect(buffer(zip)).rejects.toThrow('No more');
  });
});

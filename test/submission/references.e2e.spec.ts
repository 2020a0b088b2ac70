import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { toSearchKey } from '../../src/documents/search-key.js';
import { readForSubmit } from '../../src/submission/submit-reader.js';
import { buildWanted } from '../../src/submission/stored-documents.js';
import {
  accept,
  type ApiResponse,
  createTenant,
  post,
  refused,
  readStatus,
  submit,
  type TestTenant,
} from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Numbers that look identical could cause an invoice to be sent twice (docs/rules.md#numbers-and-ids).

const service = await startFileService();
const tenant = await createTenant(service);

describe('document number with invisible characters', () => {
  const hidden = (referenceId: string): string => `${referenceId.slice(0, 3)}\u200b${referenceId.slice(3)}`;

  it.each(['\u200b', '\u00ad', '\u2066', '\ufe0f', '\u2028', '\u3164'])(
    'is rejected in a new document with its position: U+%j',
    async (character) => {
      const referenceId = `AB${character}C`;
      const response = await refused(service, tenant, () =>
        submit(service, tenant, [invoice(), invoice({ referenceId })]),
      );
      const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      expect(response.status).toBe(400);
      expect(response.body.details).toEqual([
        {
          pointer: '/documents/1/referenceId',
          documentIndex: 1,
          referenceId,
          rule: 'reference_id_invisible',
          message: 'must not contain invisible characters, which make equal numbers different',
          hint: `remove character 3, U+${code}`,
        },
      ]);
    },
  );

  it('is accepted if it is already stored', async () => {
    const plain = reference('SIM-INVALID-CV302');
    const { submissionBatchId, documents } = await accept(service, tenant, [invoice({ referenceId: plain })]);
    const stored = hidden(plain);
    await service.settle();
    for (const table of ['document', 'document_transaction']) {
      await service.owner.query(`UPDATE ${table} SET reference_id = $1 WHERE reference_id = $2`, [stored, plain]);
    }
    expect((await readStatus(service, tenant, submissionBatchId)).documents[0]).toMatchObject({
      referenceId: stored,
      authorityStatus: 'Invalid',
    });

    const again = await accept(service, tenant, [invoice({ referenceId: stored })]);
    expect(again.documents[0]).toMatchObject({ documentId: documents[0].documentId, referenceId: stored });
    const duplicate = await refused(service, tenant, () => submit(service, tenant, [invoice({ referenceId: stored })]));
    expect(duplicate).toMatchObject({ status: 409, body: { code: 'duplicate_document', referenceId: stored } });
  });

  it('is accepted as the number of a parent, which may have been issued elsewhere', async () => {
    const parent = { referenceId: 'INV\u200b-77', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    expect((await submit(service, tenant, [creditNote(parent)])).status).toBe(200);
  });
});

describe('document number that differs from another only by case, width or composition', () => {
  let known: string;
  const other = { composed: 'CAF\u00c9-', decomposed: 'CAFE\u0301-' };

  beforeAll(async () => {
    known = reference('inv');
    await accept(service, tenant, [
      invoice({ referenceId: known }),
      invoice({ referenceId: known.toUpperCase().replace('INV', 'POS') }),
      invoice({ referenceId: `${other.composed}${known}` }),
    ]);
  });

  const wide = (text: string): string =>
    text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));

  const variants: [name: string, of: () => { sent: string; knownAs: string }][] = [
    ['case', () => ({ sent: known.toUpperCase(), knownAs: known })],
    ['case in part', () => ({ sent: `Inv${known.slice(3)}`, knownAs: known })],
    ['case, of a number in capitals', () => ({ sent: known.replace('inv', 'pos'), knownAs: capital() })],
    ['width', () => ({ sent: wide(known), knownAs: known })],
    ['composition', () => ({ sent: `${other.decomposed}${known}`, knownAs: `${other.composed}${known}` })],
    ['case of an accented letter', () => ({ sent: `caf\u00e9-${known}`, knownAs: `${other.composed}${known}` })],
  ];
  const capital = (): string => known.toUpperCase().replace('INV', 'POS');

  it.each(variants)('is accepted with a warning: %s', async (_name, of) => {
    const { sent, knownAs } = of();
    const dryRun = await submitDryRun(tenant, invoice({ referenceId: sent }));
    const warning = {
      pointer: '/documents/0/referenceId',
      documentIndex: 0,
      referenceId: sent,
      rule: 'reference_id_alike',
      message: `documents[0].referenceId differs from ${knownAs}, the number of another invoice, only by case, width or composition`,
      hint: expect.stringMatching(/./),
    };
    expect(dryRun.body.warnings).toEqual([warning]);
  });

  it('causes the first warning of the response, also in a replay', async () => {
    const key = randomUUID();
    const documents = [invoice({ referenceId: known.toUpperCase(), ...manyUnknown() })];
    const first = await submit(service, tenant, documents, { key });
    expect(first.status).toBe(200);
    expect(first.body.warnings).toHaveLength(100);
    expect(first.body.warnings[0]).toMatchObject({ rule: 'reference_id_alike' });
    expect(first.body.warningsNotListed).toBe(1);
    const replay = await submit(service, tenant, documents, { key });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.text).toBe(first.text);
  });

  it('causes a warning for each repetition within one request', async () => {
    const one = reference();
    const response = await submit(service, tenant, [
      invoice({ referenceId: one.toLowerCase() }),
      invoice({ referenceId: one.toUpperCase() }),
    ]);
    expect(response.body.warnings).toMatchObject([{ pointer: '/documents/1/referenceId', rule: 'reference_id_alike' }]);
  });

  it('causes no warning for another document type, environment or organisation', async () => {
    const stranger = await createTenant(service);
    const sent = invoice({ referenceId: known.toUpperCase() });
    expect((await submit(service, stranger, [sent])).body.warnings).toEqual([]);
    const elsewhere = reference('low');
    await service.owner.query(
      `INSERT INTO document
         (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, number_key, created_at)
       VALUES ($1, gen_random_uuid(), 'production', 'invoice', $2, gen_random_uuid(), 1, upper($2), now())`,
      [tenant.tenantId, elsewhere],
    );
    const here = invoice({ referenceId: elsewhere.toUpperCase() });
    expect((await submit(service, tenant, [here])).body.warnings).toEqual([]);
    const parent = { referenceId: 'INV-0', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    const note = creditNote(parent, { referenceId: known.toUpperCase() });
    expect((await submit(service, tenant, [note])).body.warnings).toEqual([]);

    const corrected = reference('SIM-INVALID-CV302-x');
    await accept(service, tenant, [invoice({ referenceId: corrected })]);
    await service.settle();
    expect((await submit(service, tenant, [invoice({ referenceId: corrected })])).body.warnings).toEqual([]);
  });

  function submitDryRun(caller: TestTenant, document: unknown): Promise<ApiResponse> {
    const body = { submission_type: 'non-consolidated', documents: [document] };
    return post(service, caller, { path: '/v1/einvoice/submit?dryRun=true', body });
  }

  function manyUnknown(): Record<string, number> {
    return Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, index]));
  }
});

it('similar numbers are found by an index, even with a plan for an empty table', async () => {
  const crowd = await createTenant(service);
  const caller = { tenantId: crowd.tenantId, environment: 'sandbox' as const };
  const app = new pg.Client({ connectionString: service.database.appUrl });
  await app.connect();
  onTestFinished(() => app.end());
  // Keeps the plan that was made for the empty table.
  await app.query('SET plan_cache_mode = force_generic_plan');
  await app.query('BEGIN');
  expect(await findSimilar(['LOW-1'])).toHaveLength(0);
  await service.owner.query(
    `INSERT INTO document
       (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, number_key, created_at)
     SELECT $1, gen_random_uuid(), 'sandbox', 'invoice', p || '-' || g, gen_random_uuid(), 1, upper(p || '-' || g), now()
       FROM generate_series(1, 3000) g, unnest(ARRAY['low', 'CAP']) p`,
    [crowd.tenantId],
  );
  const before = await countEntriesRead();
  const numbers = Array.from({ length: 100 }, (_, index) => [`LOW-${index + 1}`, `cap-${index + 1}`, `NEW-${index}`]);
  expect(await findSimilar(numbers.flat())).toHaveLength(200);
  expect((await countEntriesRead()) - before).toBeLessThan(1_000);

  async function findSimilar(referenceIds: string[]): Promise<unknown> {
    const query = async (text: string, values: unknown[]) => (await app.query({ name: 'similar', text, values })).rows;
    const documents = referenceIds.map((referenceId) => ({
      document: { documentType: 'invoice', referenceId, relatedInvoice: null } as never,
      numberKey: toSearchKey(referenceId),
    }));
    const toRead = { key: null, documentCount: documents.length, wanted: buildWanted(documents) };
    const read = await readForSubmit({ query } as never, caller, toRead);
    return read.similar;
  }

  /** Counts the rows and index entries of `document` that this database transaction has read. */
  async function countEntriesRead(): Promise<number> {
    const { rows } = await app.query<{ count: string }>(
      `SELECT sum(pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)) AS count
         FROM pg_class c WHERE c.oid = 'document'::regclass
            OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'document'::regclass)`,
    );
    return Number(rows[0].count);
  }
});

it('search keys are equal for all characters that PostgreSQL folds to one text', async () => {
  const rows = await service.owner.query<{ letter: string; folded: string }[]>(
    `SELECT chr(n) AS letter, upper(normalize(chr(n), NFKD) COLLATE "C") AS folded
       FROM generate_series(1, x'32fff'::integer) AS n
      WHERE n NOT BETWEEN x'd800'::integer AND x'dfff'::integer AND unicode_assigned(chr(n))`,
  );
  // PostgreSQL and Node may have different versions of Unicode.
  const known = rows.filter(({ letter }) => /\P{Cn}/u.test(letter));
  expect(known.length).toBeGreaterThan(140_000);
  expect(known.filter(({ letter, folded }) => toSearchKey(letter) !== toSearchKey(folded))).toEqual([]);
});

import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../src/processes/cli.js';
import { readConfiguration } from '../../src/config/configuration.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { insertEqualIdentity } from '../support/equal-identity.js';
import { TestService } from '../support/service.js';
import { AuthorityProxy } from './authority-proxy.js';

// Two organisations may represent one taxpayer. The authority tells documents apart by type, number, TIN and instant of
// issue, and knows nothing of organisations: what is one's must never become the other's.

const TIN = 'C25845632020';
const GRACE_SECONDS = 61;
const NO_SEARCH = { searchLagMs: 100 * 3_600_000 };

let service: TestService;
let first: TestTenant;
let second: TestTenant;
beforeEach(async () => {
  service = await TestService.start({ simulator: { tokenSeconds: 86_400 } });
  first = await createTenant(service, { profile: { tin: TIN } });
  second = await createTenant(service, { profile: { tin: TIN } });
});
afterEach(() => service.stop());

/** A Malaysian day in the past, whose last second is the instant of issue. */
function daysAgo(days: number): string {
  return toMalaysianDate(new Date(Date.now() - days * 86_400_000));
}

interface Sent {
  read(): Promise<readonly DocumentStatusDto[]>;
}

async function queued(tenant: TestTenant, ...documents: Record<string, unknown>[]): Promise<Sent> {
  const { submissionBatchId } = await accept(service, tenant, documents);
  return { read: async () => (await readStatus(service, tenant, submissionBatchId)).documents };
}

async function fault(name: string): Promise<void> {
  await service.control('faults', [{ when: { api: 'submit' }, fault: name, times: 1 }]);
}

async function takenUuids(referenceId: string): Promise<string[]> {
  return (await service.wireLog()).filter(({ number }) => number === referenceId).map(({ uuid }) => uuid);
}

/** Loses no time on looks: polls until nothing is due. */
async function pollAll(): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    await service.advance(10);
    while ((await service.tick('poll')) > 0);
  }
}

/** Builds a queued document from another's bytes, with the same identity, as two builds ago both could be built. */
async function buildAs(
  tenant: TestTenant,
  referenceId: string,
  change: (text: string) => string = (text) => text,
): Promise<void> {
  const [{ bytes }] = await service.owner.query<{ bytes: Buffer }[]>(
    'SELECT bytes FROM authority_document WHERE reference_id = $1',
    [referenceId],
  );
  const changed = Buffer.from(change(bytes.toString()));
  await service.owner.query(
    `INSERT INTO authority_document (tenant_id, transaction_id, bytes, sha256, issued_at, version, created_at, environment,
                                     supplier_tin, document_type, reference_id, exemption)
     SELECT t.tenant_id, t.id, $3, $4, a.issued_at, a.version, a.created_at, a.environment, a.supplier_tin,
            a.document_type, a.reference_id, t.id
       FROM document_transaction t JOIN authority_document a ON a.reference_id = t.reference_id
      WHERE t.tenant_id = $1 AND t.reference_id = $2`,
    [tenant.tenantId, referenceId, changed, createHash('sha256').update(changed).digest('hex')],
  );
}

describe('two organisations with one TIN, one number and one date', () => {
  it('each have their own document, uuid, link and outcome, issued a second apart', async () => {
    const document = invoice({ document_date: daysAgo(2) });
    const sent = [await queued(first, document), await queued(second, document)];
    await service.settle();
    const [one, other] = (await Promise.all(sent.map(({ read }) => read()))).flat();
    expect([one, other]).toMatchObject([{ authorityStatus: 'Valid' }, { authorityStatus: 'Valid' }]);
    expect([one.authorityUuid, other.authorityUuid]).toEqual(await takenUuids(document.referenceId as string));
    expect(Date.parse(one.issuedAt ?? '') - Date.parse(other.issuedAt ?? '')).toBe(1_000);
    expect(one.validationUrl).not.toBe(other.validationUrl);
  });

  it('cancel their own document, and never the other', async () => {
    const document = invoice({ document_date: daysAgo(1) });
    const sent = [await queued(first, document), await queued(second, document)];
    await service.settle();
    const [{ documentId }] = await sent[1].read();
    expect((await cancel(service, second, { documentId })).status).toBe(202);
    await service.settle();
    expect(await sent[0].read()).toMatchObject([{ authorityStatus: 'Valid' }]);
    expect(await sent[1].read()).toMatchObject([{ authorityStatus: 'Cancelled' }]);
  });

  it('are claimed at the same moment in opposite orders: no claim is lost, and no instant is shared', async () => {
    const documents = Array.from({ length: 30 }, () => invoice({ document_date: daysAgo(1) }));
    const sent = [await queued(first, ...documents), await queued(second, ...documents.toReversed())];
    expect(await Promise.all([service.tick('submit'), service.tick('submit')])).toEqual([1, 1]);
    await service.settle();
    const all = (await Promise.all(sent.map(({ read }) => read()))).flat();
    expect(all.map(({ authorityStatus }) => authorityStatus)).toEqual(all.map(() => 'Valid'));
    const instants = all.map(({ referenceId, issuedAt }) => `${referenceId} ${issuedAt}`);
    expect(new Set(instants).size).toBe(60);
    expect(new Set(all.map(({ authorityUuid }) => authorityUuid)).size).toBe(60);
  });

  it('that shared an instant before that was ruled out: without a lost response the later is Invalid, its mates are not', async () => {
    const document = invoice({ document_date: daysAgo(1) });
    const [holder] = [await queued(first, document)];
    await service.settle();
    const mate = invoice();
    const later = await queued(second, document, mate);
    await buildAs(second, document.referenceId as string);
    await service.settle();
    const [original, duplicate] = await takenUuids(document.referenceId as string);
    expect(await holder.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: original }]);
    expect(await later.read()).toMatchObject([
      { authorityStatus: 'Invalid', authorityUuid: duplicate, errors: [{ authorityCode: 'DS302' }] },
      { authorityStatus: 'Valid' },
    ]);
  });

  it('that both lost their answers: each adopts its own, by what the authority has', async () => {
    await service.control('settings', { duplicateRules: false });
    const document = invoice({ document_date: daysAgo(1) });
    const sent = [await queued(first, document)];
    await fault('drop-after');
    await service.tick('submit');
    sent.push(await queued(second, document));
    await buildAs(second, document.referenceId as string, (text) => text.replace(/"Lot 66"/, '"Lot 67"'));
    await fault('drop-after');
    await service.advance(30);
    await service.tick('submit');
    await service.settle();
    const [one, other] = await takenUuids(document.referenceId as string);
    const read = (await Promise.all(sent.map((each) => each.read()))).flat();
    expect(new Set(read.map(({ authorityUuid }) => authorityUuid))).toEqual(new Set([one, other]));
    expect(read[0]).toMatchObject({ authorityUuid: one, authorityStatus: 'Valid' });
  });

  it('of which one never arrived: it does not adopt the document of the other, and is not sent; a person decides', async () => {
    const document = invoice({ document_date: daysAgo(1) });
    const arrived = await queued(first, document);
    await fault('drop-after');
    await service.tick('submit');
    const lost = await queued(second, document);
    await buildAs(second, document.referenceId as string, (text) => text.replace(/"Lot 66"/, '"Lot 67"'));
    await fault('drop-before');
    await service.advance(30);
    await service.tick('submit');
    // The look of the second comes first.
    await service.owner.query(
      `UPDATE authority_submission SET next_look_at = service_now() + interval '1 hour' WHERE tenant_id = $1`,
      [first.tenantId],
    );
    for (let look = 0; look < 4; look += 1) {
      await service.advance(GRACE_SECONDS);
      await service.tick('reconcile');
    }
    expect(await lost.read()).toMatchObject([
      { submissionStatus: 'Processing', authorityUuid: null, waiting: { code: 'in_doubt' } },
    ]);
    const [doubt] = await service.owner.query<object[]>(
      'SELECT state, next_look_at FROM authority_submission WHERE tenant_id = $1',
      [second.tenantId],
    );
    expect(doubt).toEqual({ state: 'unknown', next_look_at: null });
    await service.advance(3_600);
    await service.tick('reconcile');
    await pollAll();
    const [uuid, ...others] = await takenUuids(document.referenceId as string);
    expect(others).toEqual([]);
    expect(await arrived.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: uuid }]);
  });
});

describe('an attempt whose identity another organisation shares', () => {
  it('is adopted when the authority has exactly what was sent', async () => {
    const document = invoice({ document_date: daysAgo(1) });
    const sent = await queued(first, document);
    await fault('drop-after');
    await service.tick('submit');
    await insertEqualIdentity(service.owner, document.referenceId as string);
    await service.settle();
    const uuids = await takenUuids(document.referenceId as string);
    expect(uuids).toHaveLength(1);
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: uuids[0] }]);
  });

  it('settles by its identity when the authority found it Invalid, and gives it out to nobody', async () => {
    const document = invoice({ referenceId: reference('SIM-INVALID-CV302'), document_date: daysAgo(1) });
    const sent = await queued(first, document);
    await fault('drop-after');
    await service.tick('submit');
    await insertEqualIdentity(service.owner, document.referenceId as string);
    await service.settle();
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Invalid', errors: [{ authorityCode: 'CV302' }] }]);
  });

  it('and that the authority calls a duplicate of what it may have sent before: a person decides, and can', async () => {
    const { document, sent, original } = await duplicateInDoubt();
    expect(await sent.read()).toMatchObject([
      { submissionStatus: 'Submitted', authorityStatus: 'Submitted', waiting: { code: 'in_doubt' } },
    ]);
    expect(await takenUuids(document.referenceId as string)).toHaveLength(2);
    expect(original).not.toBe((await sent.read())[0].authorityUuid);
    const [doubt] = await service.owner.query<{ state: string; next_look_at: Date | null }[]>(
      `SELECT s.state, s.next_look_at FROM authority_submission s
         JOIN document_transaction t ON t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
        WHERE t.tenant_id = $1`,
      [first.tenantId],
    );
    expect(doubt).toEqual({ state: 'unknown', next_look_at: null });
  });

  it.each([
    ['--fail', 'Invalid'],
    ['--adopt', 'Valid'],
  ])('is decided by queue release %s, and ends %s; it is never sent again', async (decision, status) => {
    const { sent, original, submissionId } = await duplicateInDoubt();
    expect(await release(submissionId, '--resend')).toContain('cannot be sent again');
    const uuids = decision === '--adopt' ? [original] : [];
    if (decision === '--adopt') {
      expect(await release(submissionId, decision, original)).toContain('may be the document of another attempt');
      // The other organisation's attempt turns out to be another document after all.
      await service.owner.query('DELETE FROM authority_document WHERE tenant_id NOT IN ($1, $2)', [
        first.tenantId,
        second.tenantId,
      ]);
    }
    expect(await release(submissionId, decision, ...uuids)).toBe('');
    await pollAll();
    expect(await sent.read()).toMatchObject([
      { submissionStatus: 'Submitted', authorityStatus: status, waiting: null },
    ]);
  });

  /** What the command says of its refusal; nothing when it decided. */
  async function release(submissionId: string, ...decision: string[]): Promise<string> {
    const configuration = readConfiguration('operator', {
      ...service.settings,
      DATABASE_OWNER_URL: service.database.ownerUrl,
    });
    let error = '';
    const words = ['queue', 'release', submissionId, ...decision];
    await runCli(configuration, words, { out: () => undefined, error: (text) => (error += text) });
    return error;
  }

  /**
   * Sent, its answer lost, found by no search, sent again: its identity is shared, and the authority has changed it.
   */
  async function duplicateInDoubt() {
    await service.control('settings', NO_SEARCH);
    const document = invoice({ document_date: daysAgo(1) });
    const sent = await queued(first, document);
    await fault('drop-after');
    await service.tick('submit');
    await insertEqualIdentity(service.owner, document.referenceId as string);
    const [original] = await takenUuids(document.referenceId as string);
    // As if the authority had it in other words: what was sent is not what it gives out.
    await service.owner.query(
      `UPDATE authority_document a SET bytes = b.changed, sha256 = encode(sha256(b.changed), 'hex')
         FROM (SELECT transaction_id AS id, convert_to(replace(convert_from(bytes, 'UTF8'), 'Lot 66', 'Lot 67'), 'UTF8') AS changed
                 FROM authority_document) b
        WHERE a.tenant_id = $1 AND b.id = a.transaction_id`,
      [first.tenantId],
    );
    await service.advance(600);
    for (let look = 0; look < 2; look += 1) {
      await service.advance(GRACE_SECONDS);
      await service.tick('reconcile');
    }
    await pollAll();
    await service.tick('reconcile');
    const [{ submissionId }] = await service.owner.query<{ submissionId: string }[]>(
      'SELECT authority_submission_id AS "submissionId" FROM document_transaction WHERE tenant_id = $1',
      [first.tenantId],
    );
    return { document, sent, original, submissionId };
  }
});

describe('a uuid of the authority', () => {
  it('that a response gives to a document of another organisation is not shown with it, and polls correct it', async () => {
    const proxy = await AuthorityProxy.start();
    onTestFinished(() => proxy.stop());
    const tenants = [await createTenant(proxy.service), await createTenant(proxy.service)];
    const documents = [invoice(), invoice()];
    const holder = await accept(proxy.service, tenants[0], [invoice()]);
    await proxy.service.tick('submit');
    const read = async (tenant: TestTenant, { submissionBatchId }: { submissionBatchId: string }) =>
      (await readStatus(proxy.service, tenant, submissionBatchId)).documents;
    const [{ uuid: held }] = await proxy.service.wireLog();
    const sent = await accept(proxy.service, tenants[1], documents);
    proxy.rewrite = (text) => text.replace(/"uuid":"\w{26}"/, `"uuid":"${held}"`);
    await proxy.service.tick('submit');
    proxy.rewrite = null;
    const answered = await read(tenants[1], sent);
    expect(answered).toMatchObject([
      { submissionStatus: 'Submitted', authorityUuid: null, waiting: null },
      { submissionStatus: 'Submitted', authorityUuid: null, waiting: null },
    ]);
    await proxy.service.settle();
    const log = await proxy.service.wireLog();
    const uuids = documents.map(({ referenceId }) => log.filter(({ number }) => number === referenceId));
    expect((await read(tenants[1], sent)).map(({ authorityUuid }) => authorityUuid)).toEqual(
      uuids.flat().map(({ uuid }) => uuid),
    );
    expect(await read(tenants[0], holder)).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: held }]);
  });

  it('belongs to one attempt: the database refuses it to a second one, of another organisation too', async () => {
    const sent = [await queued(first, invoice()), await queued(second, invoice())];
    await service.settle();
    const [{ transactionId, authorityUuid }] = await sent[0].read();
    const take = 'UPDATE document_transaction SET authority_uuid = $1 WHERE tenant_id = $2 AND id <> $3';
    const taking = service.owner.query(take, [authorityUuid, second.tenantId, transactionId]);
    await expect(taking).rejects.toThrow('uq_document_transaction_authority_uuid');
  });
});

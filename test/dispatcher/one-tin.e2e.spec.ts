import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startResetService } from '../support/file-service.js';
import { AuthorityProxy } from './authority-proxy.js';

// Two organisations may represent one taxpayer. The authority identifies documents by type, number, TIN and issue time,
// not by organisation. The documents of one organisation must never appear as those of the other.

const TIN = 'C25845632020';

const service = await startResetService({ simulator: { tokenSeconds: 86_400 } });
let first: TestTenant;
let second: TestTenant;
beforeEach(async () => {
  first = await createTenant(service, { profile: { tin: TIN } });
  second = await createTenant(service, { profile: { tin: TIN } });
});

/** A past day in Malaysia, whose last second is the issue time. */
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

describe('two organisations with the same TIN, document number and date', () => {
  it('get separate documents, uuids and links, issued a second apart', async () => {
    const document = invoice({ document_date: daysAgo(2) });
    const sent = [await queued(first, document), await queued(second, document)];
    await service.settle();
    const [one, other] = (await Promise.all(sent.map(({ read }) => read()))).flat();
    expect([one, other]).toMatchObject([{ authorityStatus: 'Valid' }, { authorityStatus: 'Valid' }]);
    expect([one.authorityUuid, other.authorityUuid]).toEqual(await takenUuids(document.referenceId as string));
    expect(Date.parse(one.issuedAt ?? '') - Date.parse(other.issuedAt ?? '')).toBe(1_000);
    expect(one.validationUrl).not.toBe(other.validationUrl);
  });

  it('can each cancel only their own document', async () => {
    const document = invoice({ document_date: daysAgo(1) });
    const sent = [await queued(first, document), await queued(second, document)];
    await service.settle();
    const [{ documentId }] = await sent[1].read();
    expect((await cancel(service, second, { documentId })).status).toBe(202);
    await service.settle();
    expect(await sent[0].read()).toMatchObject([{ authorityStatus: 'Valid' }]);
    expect(await sent[1].read()).toMatchObject([{ authorityStatus: 'Cancelled' }]);
  });

  it('are claimed simultaneously in opposite orders without a shared issue time', async () => {
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

  it('adopt their own documents after both responses were lost', async () => {
    const document = invoice({ document_date: daysAgo(1) });
    const sent = [];
    for (const tenant of [first, second]) {
      sent.push(await queued(tenant, document));
      await fault('drop-after');
      await service.tick('submit');
    }
    await service.settle();
    const read = (await Promise.all(sent.map((each) => each.read()))).flat();
    expect(read).toMatchObject([{ authorityStatus: 'Valid' }, { authorityStatus: 'Valid' }]);
    expect(read.map(({ authorityUuid }) => authorityUuid)).toEqual(await takenUuids(document.referenceId as string));
  });

  it('get their own documents after one lost request and one lost response', async () => {
    const document = invoice({ document_date: daysAgo(1) });
    const sent = [];
    for (const [tenant, name] of [
      [first, 'drop-after'],
      [second, 'drop-before'],
    ] as const) {
      sent.push(await queued(tenant, document));
      await fault(name);
      await service.tick('submit');
    }
    await service.settle();
    const read = (await Promise.all(sent.map((each) => each.read()))).flat();
    expect(read).toMatchObject([{ authorityStatus: 'Valid' }, { authorityStatus: 'Valid' }]);
    expect(read.map(({ authorityUuid }) => authorityUuid)).toEqual(await takenUuids(document.referenceId as string));
  });
});

describe('an authority uuid', () => {
  it('from a wrong response is hidden and corrected by polls', async () => {
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

  it('belongs to only one attempt across all organisations', async () => {
    const sent = [await queued(first, invoice()), await queued(second, invoice())];
    await service.settle();
    const [{ transactionId, authorityUuid }] = await sent[0].read();
    const take = 'UPDATE document_transaction SET authority_uuid = $1 WHERE tenant_id = $2 AND id <> $3';
    const taking = service.owner.query(take, [authorityUuid, second.tenantId, transactionId]);
    await expect(taking).rejects.toThrow('uq_document_transaction_authority_uuid');
  });
});

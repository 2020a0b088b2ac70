import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { expectConsistentCredits } from '../support/audit.js';
import { accept, cancel, createTenant, readBalance, issue, sortStatuses, submit } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Concurrent requests of one tenant must lock rows in the same order, and the database must decide which one succeeds.

const ROUNDS = 6;

const service = await startFileService({ environment: { DATABASE_POOL_SIZE: '20' } });
afterEach(() => expectConsistentCredits(service.owner));

it('concurrent batches with the same documents in opposite order do not deadlock', async () => {
  const tenant = await createTenant(service, { credits: 10_000 });
  for (let round = 0; round < ROUNDS; round += 1) {
    const documents = Array.from({ length: 20 }, () => invoice({ referenceId: reference('SIM-INVALID-CV302') }));
    // In every second round, existing rows are locked instead of inserted.
    if (round % 2 === 1) expect((await issue(service, tenant, ...documents)).status).toBe('Invalid');
    const before = await readBalance(service, tenant);
    const calls = Array.from({ length: 6 }, (_, index) =>
      submit(service, tenant, index % 2 === 0 ? documents : documents.toReversed()),
    );
    expect(sortStatuses(await Promise.all(calls))).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await readBalance(service, tenant)).toBe(before - documents.length);
  }
});

it('concurrent requests with different keys create a document only once', async () => {
  const tenant = await createTenant(service, { credits: 100 });
  const document = invoice();
  const responses = await Promise.all(
    Array.from({ length: 12 }, () => submit(service, tenant, [document], { key: randomUUID() })),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const response of responses) if (response.status !== 200) expect(response.body.code).toBe('duplicate_document');
  expect(await readBalance(service, tenant)).toBe(99);
});

it.each([
  ['by reference', () => undefined],
  ['by uuid', (uuid: string) => uuid],
  ['by uuid in lower case', (uuid: string) => uuid.toLowerCase()],
])('concurrent credit note (%s) and cancellation of its invoice never both succeed', async (_, spelled) => {
  const tenant = await createTenant(service);
  const parents = await issue(service, tenant, ...Array.from({ length: 10 }, () => invoice()));
  for (const { documentId, referenceId, authorityUuid } of parents.documents) {
    const [note, cancellation] = await Promise.all([
      submit(service, tenant, [creditNote({ referenceId, authorityUuid: spelled(authorityUuid ?? '') })]),
      cancel(service, tenant, { documentId }),
    ]);
    const won = [note.status === 200, cancellation.status === 202].filter(Boolean);
    expect(won, `${note.text} ${cancellation.text}`).toHaveLength(1);
    expect([200, 400]).toContain(note.status);
    expect([202, 409]).toContain(cancellation.status);
  }
});

it('concurrent cancel requests cancel a document only once', async () => {
  const tenant = await createTenant(service, { credits: 10 });
  const [{ documentId }] = (await issue(service, tenant, invoice())).documents;
  const responses = await Promise.all(Array.from({ length: 10 }, () => cancel(service, tenant, { documentId })));
  expect(responses.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(responses.filter(({ body }) => body.code === 'cancellation_in_progress')).toHaveLength(9);
  expect(await readBalance(service, tenant)).toBe(8);
});

it('two dispatchers on one queue send each document only once', async () => {
  const tenant = await createTenant(service);
  const batches = await Promise.all(Array.from({ length: 4 }, () => accept(service, tenant, [invoice(), invoice()])));
  await Promise.all(Array.from({ length: 6 }, () => service.tick('submit')));
  await service.settle();
  const sent = (await service.wireLog()).map(({ number }) => number);
  for (const { referenceId } of batches.flatMap(({ documents }) => documents)) {
    expect(sent.filter((number) => number === referenceId)).toHaveLength(1);
  }
});

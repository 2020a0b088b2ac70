import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cancel, createTenant, readBalance, issue, refused, readStatus } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#cancellation

const service = await startFileService();
const tenant = await createTenant(service);
const STRICT = { Prefer: 'handling=strict' };

async function validDocument(): Promise<{ documentId: string; reason(): Promise<string | undefined> }> {
  const { submissionBatchId, documents } = await issue(service, tenant, invoice());
  const reason = async (): Promise<string | undefined> =>
    (await readStatus(service, tenant, submissionBatchId)).documents[0].cancellation?.reason;
  return { documentId: documents[0].documentId, reason };
}

describe('a misspelled member', () => {
  it.each([
    ['cancelationReason', 'cancellationReason'],
    ['cancellationreason', 'cancellationReason'],
    ['CancellationReason', 'cancellationReason'],
    ['cancellation-reason', 'cancellationReason'],
    ['cancelation_reason', 'cancellationReason'],
    ['cancellationReasons', 'cancellationReason'],
    ['canecllationReason', 'cancellationReason'],
    ['cancelReason', 'cancellationReason'],
    ['cancel_reason', 'cancellationReason'],
    ['reason', 'cancellationReason'],
    ['reasn', 'cancellationReason'],
    ['Reson', 'cancellationReason'],
  ])('%s is rejected with the suggestion %s', async (name, meant) => {
    const { documentId, reason } = await validDocument();
    const response = await refused(service, tenant, () =>
      cancel(service, tenant, { documentId, [name]: 'Wrong buyer' }),
    );
    expect(response.status, response.text).toBe(400);
    expect(response.body).toMatchObject({
      code: 'validation_failed',
      errors: [`${name} is not a known field`],
      details: [{ pointer: `/${name}`, rule: 'member_unknown', hint: `did you mean ${meant}?` }],
    });
    expect(await reason()).toBeUndefined();
  });

  it.each(['documentID', 'documentid', 'docmentId', 'document', 'documentIds'])(
    '%s is rejected with the suggestion documentId',
    async (name) => {
      const response = await refused(service, tenant, () => cancel(service, tenant, { [name]: randomUUID() }));
      expect(response.status).toBe(400);
      expect(response.body.details).toMatchObject([
        { pointer: '/documentId', rule: 'document_id_required' },
        { pointer: `/${name}`, rule: 'member_unknown', hint: 'did you mean documentId?' },
      ]);
    },
  );

  it('is rejected even next to the correct member', async () => {
    const { documentId } = await validDocument();
    const body = { documentId, cancellationReason: 'One', cancelationReason: 'Two' };
    expect((await refused(service, tenant, () => cancel(service, tenant, body))).status).toBe(400);
  });
});

describe('a repeated member', () => {
  it('is rejected without any cancellation', async () => {
    const [one, two] = [await validDocument(), await validDocument()];
    const body = `{"documentId":"${one.documentId}","cancellationReason":"Wrong buyer","documentId":"${two.documentId}"}`;
    const response = await refused(service, tenant, () => cancel(service, tenant, body));
    expect(response.status, response.text).toBe(400);
    expect(response.body.details).toMatchObject([
      { pointer: '/documentId', rule: 'repeated_member', hint: 'send it once, with the intended value' },
    ]);
    expect([await one.reason(), await two.reason()]).toEqual([undefined, undefined]);
  });
});

describe('an unknown member', () => {
  it('is reported after the errors of a rejected request', async () => {
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId: 'x', note: 1 }));
    expect(response.body.errors).toEqual([
      expect.stringMatching(/^documentId must be /),
      'note is not a known field and was ignored',
    ]);
  });

  it('is ignored with a warning', async () => {
    const { documentId, reason } = await validDocument();
    const response = await cancel(service, tenant, { documentId, requestedBy: 'Aminah', note: { a: 1 } });
    expect(response.status, response.text).toBe(202);
    expect(response.body).toEqual({
      documentId,
      transactionId: expect.any(String),
      warnings: ['requestedBy', 'note'].map((name) => ({
        pointer: `/${name}`,
        documentIndex: null,
        referenceId: null,
        rule: 'member_unknown',
        message: `${name} is not a known field and was ignored`,
        hint: null,
      })),
    });
    expect(await reason()).toBe('Cancelled by the issuer');
    await service.settle();
  });

  it('is rejected with 400 for Prefer: handling=strict', async () => {
    const { documentId } = await validDocument();
    const body = { documentId, note: 'x' };
    const response = await refused(service, tenant, () => cancel(service, tenant, body, { headers: STRICT }));
    expect(response.status).toBe(400);
    expect(response.body.details).toMatchObject([{ pointer: '/note', rule: 'member_unknown', hint: 'leave it out' }]);
  });

  it('is rejected with 400 beyond a limit of 100', async () => {
    const { documentId } = await validDocument();
    const others = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, n]));
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId, ...others(101) }));
    expect(response.status).toBe(400);
    expect(response.body.details).toHaveLength(101);
    expect(response.body.details[0]).toMatchObject({ pointer: '/x100', rule: 'member_unknown', hint: 'leave it out' });
    const taken = await cancel(service, tenant, { documentId, ...others(100) });
    expect(taken.status).toBe(202);
    expect(taken.body.warnings).toHaveLength(100);
    await service.settle();
  });

  it('may have the name of an Object.prototype property', async () => {
    const { documentId } = await validDocument();
    const body = `{"documentId":"${documentId}","__proto__":{"cancellationReason":"x"},"constructor":1}`;
    const response = await cancel(service, tenant, body);
    expect(response.status, response.text).toBe(202);
    expect(response.body.warnings).toMatchObject([{ pointer: '/__proto__' }, { pointer: '/constructor' }]);
    await service.settle();
  });
});

it.each([
  [{ document_id: '', cancellation_reason: '  Wrong buyer – 買い手 ' }],
  [{ documentId: '', cancellation_reason: 'Wrong buyer – 買い手' }],
  [{ document_id: '', cancellationReason: 'Wrong buyer – 買い手' }],
])('a cancel request accepts both spellings of its members: %o', async (body) => {
  const { documentId, reason } = await validDocument();
  const sent = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value || documentId]));
  const response = await cancel(service, tenant, sent, { headers: STRICT });
  expect(response.status, response.text).toBe(202);
  expect(response.body.warnings).toEqual([]);
  expect(await reason()).toBe('Wrong buyer – 買い手');
  await service.settle();
});

describe('a replay', () => {
  it('returns the stored body with its warnings', async () => {
    const { documentId } = await validDocument();
    const key = randomUUID();
    const body = { documentId, note: 'x' };
    const first = await cancel(service, tenant, body, { key });
    expect(first.body.warnings).toHaveLength(1);
    const before = await readBalance(service, tenant);
    for (const headers of [{}, STRICT]) {
      const replay = await cancel(service, tenant, body, { key, headers });
      expect([replay.status, replay.text]).toEqual([202, first.text]);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await readBalance(service, tenant)).toBe(before);
    await service.settle();
  });
});

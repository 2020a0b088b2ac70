import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

// docs/rules.md#after-validation: a response of the authority may lack a value that a later response contains.

const WATCH_SECONDS = 400;
const LONGEST_WATCH_SECONDS = 4_400;
const HOURS_72 = 72 * 3_600;
const DAY_SECONDS = 86_400;

let proxy: AuthorityProxy;
let tenant: TestTenant;
beforeAll(async () => {
  proxy = await AuthorityProxy.start({ simulator: { validationDelayMs: 0, visibilityDelayMs: 0 } });
  tenant = await createTenant(proxy.service);
});
afterAll(() => proxy.stop());
afterEach(() => (proxy.rewrite = null));

interface Polled {
  readonly documentId: string;
  readonly referenceId: string;
  read(): Promise<DocumentStatusDto>;
}

/** Sends a document and polls it once while each response has `value` as the member `name`. */
async function polledWith(name: string, value: unknown, referenceId = reference()): Promise<Polled> {
  const member = new RegExp(`"${name}":("[^"]*"|null)`, 'g');
  proxy.rewrite = (text) => text.replace(member, `"${name}":${JSON.stringify(value)}`);
  const { submissionBatchId, documents } = await accept(proxy.service, tenant, [invoice({ referenceId })]);
  await proxy.service.tick('submit');
  await pollAfter(5);
  const read = async (): Promise<DocumentStatusDto> =>
    (await readStatus(proxy.service, tenant, submissionBatchId)).documents[0];
  return { documentId: documents[0].documentId, referenceId, read };
}

async function pollAfter(seconds: number): Promise<void> {
  await proxy.service.advance(seconds);
  while ((await proxy.service.tick('poll')) > 0);
}

async function readNextPoll({ referenceId }: Polled): Promise<Date | null> {
  const [{ nextPollAt }] = await proxy.service.owner.query<{ nextPollAt: Date | null }[]>(
    `SELECT s.due_at AS "nextPollAt" FROM authority_submission s
       JOIN document_transaction t ON t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
      WHERE t.reference_id = $1`,
    [referenceId],
  );
  return nextPollAt;
}

async function readNow(): Promise<number> {
  const [{ now }] = await proxy.service.owner.query<[{ now: Date }]>('SELECT service_now() AS now');
  return now.getTime();
}

/** Formats a time as the authority does. */
async function inSeconds(seconds: number): Promise<string> {
  return new Date((await readNow()) + seconds * 1_000).toISOString();
}

describe.each<[string, () => Promise<string | null>]>([
  ['null', () => Promise.resolve(null)],
  ['unreadable', () => Promise.resolve('soon')],
  ['in the year 9999', () => Promise.resolve('9999-12-31T23:59:59Z')],
  ['five days ahead', () => inSeconds(5 * DAY_SECONDS)],
  ['two days before the submission', () => inSeconds(-2 * DAY_SECONDS)],
])('a Valid document whose validation time is %s in the first poll', (_, readValue) => {
  let value: string | null;
  beforeEach(async () => {
    value = await readValue();
  });

  it('gets its validation time from a later poll', async () => {
    const document = await polledWith('dateTimeValidated', value);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid', validatedAt: null });
    proxy.rewrite = null;
    await pollAfter(WATCH_SECONDS);
    const { validatedAt, cancellableUntil } = await document.read();
    expect(validatedAt).not.toBeNull();
    expect(Date.parse(cancellableUntil ?? '') - Date.parse(validatedAt ?? '')).toBe(HOURS_72 * 1_000);
  });

  it('can be cancelled before the validation time is known', async () => {
    const document = await polledWith('dateTimeValidated', value);
    const { submittedAt, cancellableUntil } = await document.read();
    expect(Date.parse(cancellableUntil ?? '') - Date.parse(submittedAt ?? '')).toBe(HOURS_72 * 1_000);
    const { status } = await cancel(proxy.service, tenant, { documentId: document.documentId });
    expect(status).toBe(202);
    await proxy.service.tick('cancel');
    expect(await document.read()).toMatchObject({ authorityStatus: 'Cancelled' });
  });

  it('is polled for 72 hours after its submission', async () => {
    const document = await polledWith('dateTimeValidated', value);
    await pollAfter(HOURS_72 - 3_600);
    expect(await readNextPoll(document)).not.toBeNull();
    await pollAfter(2 * 3_600);
    expect(await readNextPoll(document)).toBeNull();
  });
});

it.each([-20, 20])('corrects a validation time that is wrong by %i hours in the first poll', async (hours) => {
  const document = await polledWith('dateTimeValidated', await inSeconds(hours * 3_600));
  proxy.rewrite = null;
  await pollAfter(LONGEST_WATCH_SECONDS);
  const { submittedAt, validatedAt } = await document.read();
  expect(Math.abs(Date.parse(validatedAt ?? '') - Date.parse(submittedAt ?? ''))).toBeLessThan(60_000);
});

it('adds the long id of a Valid document from a later poll', async () => {
  const document = await polledWith('longId', '');
  expect(await document.read()).toMatchObject({ authorityStatus: 'Valid', authorityLongId: null, validationUrl: null });
  proxy.rewrite = null;
  await pollAfter(WATCH_SECONDS);
  expect((await document.read()).validationUrl).not.toBeNull();
});

it('adds the validation time of an Invalid document from a later poll', async () => {
  const document = await polledWith('dateTimeValidated', null, reference('SIM-INVALID-CV302'));
  expect(await document.read()).toMatchObject({ authorityStatus: 'Invalid', validatedAt: null });
  proxy.rewrite = null;
  await pollAfter(WATCH_SECONDS);
  expect((await document.read()).validatedAt).not.toBeNull();
});

it.each<[string, () => Promise<string | null>]>([
  ['missing', () => Promise.resolve(null)],
  ['two days ahead', () => inSeconds(2 * DAY_SECONDS)],
])('adds a cancellation time that was %s from a later poll', async (_, readValue) => {
  const document = await polledWith('cancelDateTime', await readValue());
  const { authorityUuid } = await document.read();
  await proxy.service.control('portal', { uuid: authorityUuid, action: 'cancel' });
  await pollAfter(WATCH_SECONDS);
  expect(await document.read()).toMatchObject({ authorityStatus: 'Cancelled', cancelledAt: null });
  proxy.rewrite = null;
  await pollAfter(WATCH_SECONDS);
  expect((await document.read()).cancelledAt).not.toBeNull();
});

describe('a document that a lookup finds after a lost response', () => {
  it.each([
    ['three days ahead', 3 * DAY_SECONDS],
    ['three days before its issue time', -3 * DAY_SECONDS],
  ])('counts as submitted at the time of the lookup if the authority returns a receipt time %s', async (_, seconds) => {
    await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    const stated = await inSeconds(seconds);
    proxy.rewrite = (text) => text.replace(/"dateTimeReceived":"[^"]*"/g, `"dateTimeReceived":"${stated}"`);
    const { submissionBatchId } = await accept(proxy.service, tenant, [invoice()]);
    await proxy.service.tick('submit');
    await proxy.service.advance(WATCH_SECONDS);
    const from = await readNow();
    await proxy.service.tick('reconcile');
    const { submittedAt, submissionStatus } = (await readStatus(proxy.service, tenant, submissionBatchId)).documents[0];
    expect(submissionStatus).toBe('Submitted');
    expect(Date.parse(submittedAt ?? '')).toBeGreaterThanOrEqual(from);
    expect(Date.parse(submittedAt ?? '')).toBeLessThanOrEqual(await readNow());
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

// A lost response never creates a second tax document. Unless a test says otherwise, the authority's duplicate rules
// are off, so that only this service prevents duplicates.

const LEASE_SECONDS = 90;
const GRACE_SECONDS = 61;
const SECOND_LOOKUP_SECONDS = 61;
const LOOKUPS_AFTER_REFUSAL = 16;
const HOUR_SECONDS = 3_600;
const NO_SEARCH = { searchLagMs: 100 * HOUR_SECONDS * 1_000 };

let proxy: AuthorityProxy;
let tenant: TestTenant;
beforeAll(async () => {
  proxy = await AuthorityProxy.start({
    simulator: { duplicateRules: false },
    environment: { DISPATCH_LEASE_SECONDS: String(LEASE_SECONDS) },
  });
});
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
});
afterAll(() => proxy.stop());
afterEach(() => proxy.service.control('settings', { duplicateRules: false, searchLagMs: 0, duplicateCode: 'DS302' }));

interface Sent {
  readonly referenceIds: string[];
  read(): Promise<readonly DocumentStatusDto[]>;
}

async function queued(owner: TestTenant, ...referenceIds: string[]): Promise<Sent> {
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(proxy.service, owner, documents);
  return { referenceIds, read: async () => (await readStatus(proxy.service, owner, submissionBatchId)).documents };
}

async function loseNextResponse(): Promise<void> {
  await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
}

async function takenTimes(referenceIds: readonly string[]): Promise<number[]> {
  const numbers = (await proxy.service.wireLog()).map(({ number }) => number);
  return referenceIds.map((referenceId) => numbers.filter((number) => number === referenceId).length);
}

async function expectValidOnce({ referenceIds, read }: Sent): Promise<void> {
  for (const document of await read()) {
    expect(document).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Valid', waiting: null });
  }
  expect(await takenTimes(referenceIds)).toEqual(referenceIds.map(() => 1));
}

/** Time until the rejection of a resent document takes effect. */
async function lookUpRefused(): Promise<void> {
  for (let lookup = 0; lookup < LOOKUPS_AFTER_REFUSAL; lookup += 1) {
    await proxy.service.advance(SECOND_LOOKUP_SECONDS);
    await proxy.service.tick('reconcile');
  }
}

async function countTransactions(submissionStatus: string, authorityStatus: string | null = null): Promise<number> {
  const [{ count }] = await proxy.service.owner.query<{ count: number }[]>(
    `SELECT count(*)::integer AS count FROM document_transaction
      WHERE tenant_id = $1 AND submission_status = $2 AND ($3::text IS NULL OR authority_status = $3)`,
    [tenant.tenantId, submissionStatus, authorityStatus],
  );
  return count;
}

describe('a queue in which every fifth response is lost', () => {
  const CALLS = 25;
  const DOCUMENTS_A_CALL = 5;

  it('sends each document once and finds all lost ones with a single search', async () => {
    const sent: Sent[] = [];
    const before = proxy.calls.length;
    for (let call = 0; call < CALLS; call += 1) {
      sent.push(await queued(tenant, ...Array.from({ length: DOCUMENTS_A_CALL }, () => reference())));
      if (call % 5 === 2) await loseNextResponse();
      await proxy.service.tick('submit');
    }
    expect(await countTransactions('Processing')).toBe((CALLS / 5) * DOCUMENTS_A_CALL);
    expect(proxy.listCalls('submit', before)).toHaveLength(CALLS);
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.tick('reconcile');
    // The search shows all documents accepted in the window, 100 per page.
    expect(proxy.listCalls('search', before)).toHaveLength(Math.ceil((CALLS * DOCUMENTS_A_CALL) / 100));
    expect(await countTransactions('Submitted')).toBe(CALLS * DOCUMENTS_A_CALL);
    await proxy.service.settle();
    expect(await countTransactions('Submitted', 'Valid')).toBe(CALLS * DOCUMENTS_A_CALL);
    expect(await takenTimes(sent.flatMap(({ referenceIds }) => referenceIds))).toEqual(
      Array<number>(CALLS * DOCUMENTS_A_CALL).fill(1),
    );
    expect(proxy.listCalls('submit', before), 'no call was sent again').toHaveLength(CALLS);
    expect(proxy.listCalls('search', before)).toHaveLength(Math.ceil((CALLS * DOCUMENTS_A_CALL) / 100));
  });
});

describe('a call whose documents a search finds only partially', () => {
  it('adopts the found documents and resends the rest with the same bytes', async () => {
    const sent = await queued(tenant, reference(), reference('SIM-REJECT-CF349'), reference());
    const before = proxy.calls.length;
    await loseNextResponse();
    await proxy.service.tick('submit');
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.tick('reconcile');
    expect((await sent.read()).map(({ submissionStatus }) => submissionStatus)).toEqual([
      'Submitted',
      'Processing',
      'Submitted',
    ]);
    expect(proxy.listCalls('submit', before)).toHaveLength(1);
    await proxy.service.advance(SECOND_LOOKUP_SECONDS);
    await proxy.service.tick('reconcile');
    const [first, second] = proxy.listCalls('submit', before);
    expect(second.referenceIds).toEqual([sent.referenceIds[1]]);
    expect(first.body).toContain(readOnlyDocument(second.body));
    await lookUpRefused();
    const [, rejected] = await sent.read();
    expect(rejected).toMatchObject({ submissionStatus: 'SubmitFailed', errors: [{ authorityCode: 'CF349' }] });
    await proxy.service.settle();
    expect(await takenTimes(sent.referenceIds)).toEqual([1, 0, 1]);
  });
});

describe('a call that no search finds', () => {
  it('is resent with the same bytes and searched until it is found', async () => {
    await proxy.service.control('settings', { duplicateRules: true, ...NO_SEARCH });
    const sent = await queued(tenant, reference(), reference());
    const before = proxy.calls.length;
    await loseNextResponse();
    await proxy.service.tick('submit');
    await lookUpTwice();
    const submits = proxy.listCalls('submit', before);
    expect(submits.map(({ status }) => status)).toEqual([0, 422]);
    expect(submits[1].body).toBe(submits[0].body);
    for (const document of await sent.read()) expect(document.waiting).toMatchObject({ code: 'in_doubt' });
    await proxy.service.control('settings', { searchLagMs: 0 });
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.tick('reconcile');
    await proxy.service.settle();
    await expectValidOnce(sent);
    expect(proxy.listCalls('submit', before)).toHaveLength(2);
  });

  it.each(['DS302', 'DV302'])('adopts the first copy as a duplicate after ten minutes (%s)', async (code) => {
    const { sent, original } = await sentTwice(code);
    await proxy.service.settle();
    const [document] = await sent.read();
    expect(document).toMatchObject({ authorityStatus: 'Valid', authorityUuid: original });
  });

  it('adopts the first copy named in the response to the resend', async () => {
    const { sent, original } = await sentTwice('DS302', (uuid) => {
      proxy.rewrite = (text) =>
        text.includes('acceptedDocuments') ? text.replace(/"uuid":"[0-9A-Z]+"/, `"uuid":"${uuid}"`) : text;
      return Promise.resolve();
    });
    proxy.rewrite = null;
    await proxy.service.settle();
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: original }]);
  });

  it('requires an operator decision if another attempt has the uuid', async () => {
    const { sent, original } = await sentTwice('DS302', async (uuid) => {
      const holder = await queued(tenant, reference());
      await proxy.service.tick('submit');
      // The other attempt has already ended: its lookup would find out whose uuid it is.
      await proxy.service.owner.query(
        `WITH holder AS (
           UPDATE document_transaction SET authority_uuid = $1, authority_status = 'Valid' WHERE reference_id = $2
           RETURNING authority_submission_id AS id)
         UPDATE authority_submission SET state = 'settled', due_at = NULL WHERE id IN (SELECT id FROM holder)`,
        [uuid, holder.referenceIds[0]],
      );
    });
    for (let round = 0; round < 10; round += 1) {
      await proxy.service.advance(10);
      while ((await proxy.service.tick('poll')) > 0);
    }
    const [document] = await sent.read();
    expect(document).toMatchObject({ authorityStatus: 'Submitted', waiting: { code: 'in_doubt' } });
    expect(document.authorityUuid).not.toBe(original);
    // Decides the call so that it does not disturb the tests below.
    await proxy.service.owner.query(
      `WITH decided AS (
         UPDATE document_transaction SET authority_status = 'Invalid' WHERE reference_id = $1
         RETURNING authority_submission_id AS id)
       UPDATE authority_submission SET state = 'settled', due_at = NULL WHERE id IN (SELECT id FROM decided)`,
      sent.referenceIds,
    );
  });

  /**
   * Creates a document that the authority has twice: its response is lost, no search finds it, and it is resent after
   * ten minutes.
   */
  async function sentTwice(
    code: string,
    between?: (uuid: string) => Promise<void>,
  ): Promise<{ sent: Sent; original: string }> {
    await proxy.service.control('settings', { duplicateRules: true, duplicateCode: code, ...NO_SEARCH });
    const sent = await queued(tenant, reference());
    await loseNextResponse();
    await proxy.service.tick('submit');
    const [original] = (await proxy.service.wireLog()).filter(({ number }) => number === sent.referenceIds[0]);
    await between?.(original.uuid);
    await proxy.service.advance(600);
    await lookUpTwice();
    expect(await takenTimes(sent.referenceIds)).toEqual([2]);
    return { sent, original: original.uuid };
  }

  async function lookUpTwice(): Promise<void> {
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.tick('reconcile');
    await proxy.service.advance(SECOND_LOOKUP_SECONDS);
    await proxy.service.tick('reconcile');
  }
});

describe('a document whose uuid was assigned to another document by mistake', () => {
  const shapes: [string, string[], number[]][] = [
    ['which is alone in its call', [''], [1]],
    ['which shares its call with a found document', ['', ''], [1, 1]],
    ['which shares its call with a missing document', ['SIM-REJECT-CF349', ''], [0, 1]],
  ];

  it.each(shapes)('is adopted after a poll has corrected the other document, %s', async (_, prefixes, taken) => {
    const lost = await queued(tenant, ...prefixes.map((prefix) => reference(prefix)));
    await loseNextResponse();
    await proxy.service.tick('submit');
    const other = await queued(tenant, reference());
    await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'duplicate-uuid', times: 1 }]);
    await proxy.service.tick('submit');
    const wireLog = await proxy.service.wireLog();
    const [{ uuid }] = await proxy.service.owner.query<{ uuid: string }[]>(
      'SELECT authority_uuid AS uuid FROM document_transaction WHERE reference_id = $1',
      other.referenceIds,
    );
    const contested = wireLog.find((entry) => entry.uuid === uuid)?.number ?? '';
    expect(lost.referenceIds).toContain(contested);
    const read = async () => (await lost.read()).find(({ referenceId }) => referenceId === contested);
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.tick('reconcile');
    expect(await read()).toMatchObject({ submissionStatus: 'Processing' });
    while ((await proxy.service.tick('poll')) > 0);
    await proxy.service.advance(SECOND_LOOKUP_SECONDS);
    await proxy.service.tick('reconcile');
    expect(await read()).toMatchObject({ submissionStatus: 'Submitted' });
    await lookUpRefused();
    await proxy.service.settle();
    const ofOther = wireLog.find(({ number }) => number === other.referenceIds[0])?.uuid;
    expect(await other.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: ofOther }]);
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuid });
    expect(await takenTimes([...lost.referenceIds, ...other.referenceIds])).toEqual([...taken, 1]);
  });
});

describe('resends that together exceed the lease', () => {
  const CALLS = 3;

  it('follow a single search', async () => {
    const sent: Sent[] = [];
    for (let call = 1; call <= CALLS; call += 1) {
      sent.push(await queued(tenant, reference()));
      await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-before', times: 1 }]);
      // A failed call delays the next one.
      await proxy.service.advance(10);
      await proxy.service.tick('submit');
    }
    await proxy.service.advance(GRACE_SECONDS);
    expect(await proxy.service.tick('reconcile')).toBe(CALLS);
    await proxy.service.advance(SECOND_LOOKUP_SECONDS);
    const lookedBeside: number[] = [];
    proxy.before.set('submit', async () => {
      await proxy.service.advance(LEASE_SECONDS - 10);
      lookedBeside.push(await proxy.service.tick('reconcile'));
    });
    onTestFinished(() => proxy.before.clear());
    const before = proxy.calls.length;
    expect(await proxy.service.tick('reconcile')).toBe(CALLS);
    expect(lookedBeside).toEqual([0, 0, 0]);
    expect(proxy.listCalls('search', before)).toHaveLength(1);
    expect(proxy.listCalls('submit', before)).toHaveLength(CALLS);
    expect(await takenTimes(sent.flatMap(({ referenceIds }) => referenceIds))).toEqual([1, 1, 1]);
  });
});

// This test is last because the lost response limits the next call to a single document.
describe('a search that exceeds the lease', () => {
  const PAGES = 3;

  it('continues page by page without a second search', async () => {
    const sent: Sent[] = [];
    for (let page = 1; page <= PAGES; page += 1) {
      sent.push(await queued(tenant, ...Array.from({ length: 100 }, () => reference())));
      if (page === PAGES) await loseNextResponse();
      await proxy.service.tick('submit');
    }
    const before = proxy.calls.length;
    const lookedBeside: number[] = [];
    proxy.before.set('search', async () => {
      await proxy.service.advance(LEASE_SECONDS - 10);
      lookedBeside.push(await proxy.service.tick('reconcile'));
      if (lookedBeside.length === 1) await takeSearchSlots();
    });
    onTestFinished(() => proxy.before.clear());
    await proxy.service.advance(GRACE_SECONDS);
    expect(await proxy.service.tick('reconcile')).toBe(1);
    expect(lookedBeside).toEqual([0, 0, 0]);
    expect(proxy.listCalls('search', before)).toHaveLength(PAGES);
    expect(await countTransactions('Submitted')).toBe(PAGES * 100);
    const numbers = sent.flatMap(({ referenceIds }) => referenceIds);
    expect(await takenTimes(numbers)).toEqual(numbers.map(() => 1));
  });

  /** Simulates searches of other replicas, which move the next slot beyond the latest start of a search. */
  async function takeSearchSlots(): Promise<void> {
    await proxy.service.owner.query(
      `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until)
       VALUES ((SELECT client_id FROM authority_token LIMIT 1), 'sandbox', 'search', service_now(),
               service_now() + interval '11 seconds')
       ON CONFLICT (client_id, environment, api) DO UPDATE SET blocked_until = excluded.blocked_until`,
    );
  }
});

function readOnlyDocument(body: string): string {
  const { documents } = JSON.parse(body) as { documents: { document: string }[] };
  return documents[0].document;
}

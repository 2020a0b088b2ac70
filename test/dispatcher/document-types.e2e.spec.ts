import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

// A document with an unknown type name may be any type, including one of ours, so that the service draws no conclusion.

const GRACE_SECONDS = 61;
const POLLS = 4;
const PAUSE_SECONDS = 15;
const MINUTES_AFTER_REFUSAL = 20;

let proxy: AuthorityProxy;
let tenant: TestTenant;
const logged = vi.spyOn(Logger.prototype, 'error');
beforeAll(async () => {
  proxy = await AuthorityProxy.start({ simulator: { duplicateRules: false } });
});
// After a failure, calls pause and the next one carries a single document. An ordinary document ends the pause.
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
  await proxy.service.advance(PAUSE_SECONDS);
  await issue(proxy.service, tenant, invoice());
});
afterEach(() => {
  proxy.rewrite = null;
  logged.mockClear();
});
afterAll(() => proxy.stop());

interface Sent {
  readonly referenceIds: string[];
  read(): Promise<readonly DocumentStatusDto[]>;
}

async function queued(...referenceIds: string[]): Promise<Sent> {
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(proxy.service, tenant, documents);
  return { referenceIds, read: async () => (await readStatus(proxy.service, tenant, submissionBatchId)).documents };
}

/** Makes the authority show all documents, or the given ones, under another type name. */
function word(typeName: string | null, referenceIds: readonly string[]): void {
  proxy.rewrite = (text) => {
    if (!text.includes('"typeName"')) return text;
    const rewritten = JSON.parse(text, (_name, value: unknown) => {
      const isNamed = typeof value === 'object' && value !== null && 'typeName' in value && 'internalId' in value;
      return isNamed && referenceIds.includes(String(value.internalId)) ? { ...value, typeName } : value;
    }) as unknown;
    return JSON.stringify(rewritten);
  };
}

async function sendAndLoseResponse(): Promise<void> {
  await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  await proxy.service.tick('submit');
}

async function pollSeveralTimes(): Promise<void> {
  for (let look = 0; look < POLLS; look += 1) {
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.tick('reconcile');
  }
}

async function takenTimes(referenceIds: readonly string[]): Promise<number[]> {
  const numbers = (await proxy.service.wireLog()).map(({ number }) => number);
  return referenceIds.map((referenceId) => numbers.filter((number) => number === referenceId).length);
}

const UNKNOWN_NAMES: [string | null][] = [['e-Invoice'], ['Debit Note'], ['Self-billed Invoice'], [null]];

describe('a document in doubt that the authority returns with an unknown type', () => {
  it.each(UNKNOWN_NAMES)('is neither adopted nor resent, and the log states why (%s)', async (typeName) => {
    const sent = await queued(reference());
    word(typeName, sent.referenceIds);
    await sendAndLoseResponse();
    await pollSeveralTimes();
    const [document] = await sent.read();
    expect(document).toMatchObject({
      submissionStatus: 'Processing',
      authorityUuid: null,
      waiting: { code: 'in_doubt' },
    });
    expect(await takenTimes(sent.referenceIds)).toEqual([1]);
    const lines = logged.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(document.referenceId));
    expect(lines[0]).toContain(typeName === null ? 'no type name' : `the type name "${typeName}"`);
  });

  it('is adopted once the type name is known', async () => {
    const sent = await queued(reference());
    word('e-Invoice', sent.referenceIds);
    await sendAndLoseResponse();
    await pollSeveralTimes();
    word('INVOICE', sent.referenceIds);
    await pollSeveralTimes();
    await proxy.service.settle();
    const [document] = await sent.read();
    expect(document).toMatchObject({ authorityStatus: 'Valid', waiting: null });
    expect(await takenTimes(sent.referenceIds)).toEqual([1]);
  });

  it('does not delay the other documents of its call', async () => {
    const found = reference();
    const missing = reference('SIM-REJECT-CF349');
    const unnamed = reference();
    const sent = await queued(found, missing, unnamed);
    word('e-Invoice', [unnamed]);
    await sendAndLoseResponse();
    // The missing document is sent again and rejected. The rejection takes effect after 15 minutes of lookups.
    for (let minutes = 0; minutes <= MINUTES_AFTER_REFUSAL; minutes += POLLS) await pollSeveralTimes();
    await proxy.service.tick('poll');
    expect(await sent.read()).toMatchObject([
      { submissionStatus: 'Submitted', authorityStatus: 'Valid' },
      { submissionStatus: 'SubmitFailed' },
      { submissionStatus: 'Processing', waiting: { code: 'in_doubt' } },
    ]);
    expect(await takenTimes(sent.referenceIds)).toEqual([1, 0, 1]);
  });
});

describe('a poll that returns a document with an unknown type', () => {
  it.each([['e-Invoice'], ['Debit Note']])('changes no status until the type name is known (%s)', async (typeName) => {
    const sent = await queued(reference());
    word(typeName, sent.referenceIds);
    await proxy.service.tick('submit');
    for (let look = 0; look < POLLS; look += 1) {
      await proxy.service.advance(GRACE_SECONDS);
      await proxy.service.tick('poll');
    }
    const [before] = await sent.read();
    expect(before).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
    proxy.rewrite = null;
    await proxy.service.settle();
    const [document] = await sent.read();
    const [{ uuid }] = (await proxy.service.wireLog()).filter(({ number }) => number === document.referenceId);
    expect(document).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuid });
  });
});

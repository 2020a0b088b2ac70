import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, issue, statusOf, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityFront } from './authority-front.js';

// A type that the authority words as nothing that is known may be any type, ours too: nothing is concluded from it.

const GRACE_SECONDS = 61;
const LOOKS = 4;
const PAUSE_SECONDS = 15;

let front: AuthorityFront;
let tenant: TestTenant;
const logged = vi.spyOn(Logger.prototype, 'error');
beforeAll(async () => {
  front = await AuthorityFront.start({ simulator: { duplicateRules: false } });
});
// After a failure calls pause, and the next one carries a single document: an ordinary one ends that.
beforeEach(async () => {
  tenant = await createTenant(front.service);
  await front.service.advance(PAUSE_SECONDS);
  await issue(front.service, tenant, invoice());
});
afterEach(() => {
  front.rewrite = null;
  logged.mockClear();
});
afterAll(() => front.stop());

interface Sent {
  readonly referenceIds: string[];
  read(): Promise<readonly DocumentStatusDto[]>;
}

async function queued(...referenceIds: string[]): Promise<Sent> {
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(front.service, tenant, documents);
  return { referenceIds, read: async () => (await statusOf(front.service, tenant, submissionBatchId)).documents };
}

/** From now on the authority shows these documents, or all, under another type name. */
function word(typeName: string | null, referenceIds: readonly string[]): void {
  front.rewrite = (text) => {
    if (!text.includes('"typeName"')) return text;
    const rewritten = JSON.parse(text, (_name, value: unknown) => {
      const isNamed = typeof value === 'object' && value !== null && 'typeName' in value && 'internalId' in value;
      return isNamed && referenceIds.includes(String(value.internalId)) ? { ...value, typeName } : value;
    }) as unknown;
    return JSON.stringify(rewritten);
  };
}

async function sendAndLoseTheAnswer(): Promise<void> {
  await front.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  await front.service.tick('submit');
}

async function lookSeveralTimes(): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    await front.service.advance(GRACE_SECONDS);
    await front.service.tick('reconcile');
  }
}

async function takenTimes(referenceIds: readonly string[]): Promise<number[]> {
  const numbers = (await front.service.wireLog()).map(({ number }) => number);
  return referenceIds.map((referenceId) => numbers.filter((number) => number === referenceId).length);
}

const UNKNOWN_NAMES: [string | null][] = [['e-Invoice'], ['Debit Note'], ['Self-billed Invoice'], [null]];

describe('a document whose answer was lost, shown under its number and instant as a type that is not known', () => {
  it.each(UNKNOWN_NAMES)('(%s) is neither adopted nor sent again, and the log says why', async (typeName) => {
    const sent = await queued(reference());
    word(typeName, sent.referenceIds);
    await sendAndLoseTheAnswer();
    await lookSeveralTimes();
    const [document] = await sent.read();
    expect(document).toMatchObject({
      submissionStatus: 'Processing',
      authorityUuid: null,
      waiting: { code: 'in_doubt' },
    });
    expect(await takenTimes(sent.referenceIds)).toEqual([1]);
    const lines = logged.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(document.referenceId));
    expect(lines[0]).toContain(typeName === null ? 'under no type name' : `as "${typeName}"`);
  });

  it('is adopted once the name is known', async () => {
    const sent = await queued(reference());
    word('e-Invoice', sent.referenceIds);
    await sendAndLoseTheAnswer();
    await lookSeveralTimes();
    word('INVOICE', sent.referenceIds);
    await lookSeveralTimes();
    await front.service.settle();
    const [document] = await sent.read();
    expect(document).toMatchObject({ authorityStatus: 'Valid', waiting: null });
    expect(await takenTimes(sent.referenceIds)).toEqual([1]);
  });

  it('keeps back neither what was found nor what is missing of its call', async () => {
    const found = reference();
    const missing = reference('SIM-REJECT-CF349');
    const unnamed = reference();
    const sent = await queued(found, missing, unnamed);
    word('e-Invoice', [unnamed]);
    await sendAndLoseTheAnswer();
    await lookSeveralTimes();
    await front.service.tick('poll');
    expect(await sent.read()).toMatchObject([
      { submissionStatus: 'Submitted', authorityStatus: 'Valid' },
      { submissionStatus: 'SubmitFailed' },
      { submissionStatus: 'Processing', waiting: { code: 'in_doubt' } },
    ]);
    expect(await takenTimes(sent.referenceIds)).toEqual([1, 0, 1]);
  });
});

describe('a poll that shows a document as a type that is not known', () => {
  it.each([['e-Invoice'], ['Debit Note']])('(%s) decides nothing until the name is known', async (typeName) => {
    const sent = await queued(reference());
    word(typeName, sent.referenceIds);
    await front.service.tick('submit');
    for (let look = 0; look < LOOKS; look += 1) {
      await front.service.advance(GRACE_SECONDS);
      await front.service.tick('poll');
    }
    const [before] = await sent.read();
    expect(before).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
    front.rewrite = null;
    await front.service.settle();
    const [document] = await sent.read();
    expect(document).toMatchObject({ authorityStatus: 'Valid', authorityUuid: before.authorityUuid });
  });
});
